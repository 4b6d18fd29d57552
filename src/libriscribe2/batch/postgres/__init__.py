"""A batch on several machines: its log and its jobs in a PostgreSQL database."""
