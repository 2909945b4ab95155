"""How the figures in README.md were measured. See benchmarks/README.md."""
