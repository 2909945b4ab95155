"""A report as one page that anybody can open: no network, nothing to install, nothing to trust."""

from lab.page.notebook import show
from lab.page.report import report_page, write_page

__all__ = ["report_page", "show", "write_page"]
