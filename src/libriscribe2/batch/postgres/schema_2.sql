-- What a machine needs of a book that another one began: beside its lines the request, which is its
-- book.toml, byte for byte.
create table libriscribe2_books (
    project text primary key,
    format integer not null,
    request bytea not null
);

-- The journals of books, line by line, counted from 1; whoever adds holds the lock of the book.
create table libriscribe2_journal (
    project text not null,
    seq bigint not null,
    line bytea not null,
    primary key (project, seq)
);
