"""What runs and why: stages in order, what is out of date, and the run itself."""
