"""One module per format; each has its `EXPORTERS`."""
