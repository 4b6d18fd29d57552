"""Many books: rows that are checked before anything is queued, a queue, and a report.

What has to hold here:

- A book has a claim exactly while it is `running`; both change in one transaction, and a result
  counts only while the claim is still the worker's. Who takes it over ends the session that holds
  the book's lock.
- Only what is a book's own fault, in a run without a new reply, counts towards failing it.
- A provider's batch is noted before each step (file stored, "may be submitted", batch id, replies,
  then the order is dropped); a waiting call's file goes before its reply is written, and a reply
  stays in the spool until the journal has it. A reply with a status is never overwritten by one that
  says "send it at once"; who no longer waits withdraws its waiting file.
- With a mirror, a line is in the mirror before it is in the folder, on the connection that holds the
  book's lock; the other way round, each kill leaves two journals that differ.
"""
