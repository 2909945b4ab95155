"""Reports in formats that others read: build servers, spreadsheets, the viewer of Inspect AI."""

from lab.export.files import FORMATS, export_report

__all__ = ["FORMATS", "export_report"]
