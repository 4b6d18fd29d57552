"""One module per format; each has an `EXPORTER`."""
