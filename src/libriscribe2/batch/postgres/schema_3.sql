-- Who writes books; a worker that has not given a sign of life for a while is dead.
create table libriscribe2_workers (
    id bigint generated always as identity primary key,
    host text not null,
    pid integer not null,
    program text not null,
    payload integer not null,
    slots integer not null,
    began timestamptz not null default now(),
    beat timestamptz not null default now(),
    state text not null default 'working',
    note text not null default '',
    drain boolean not null default false
);

create sequence libriscribe2_claims;

-- The books that wait or run, and no others; whoever changes a row holds the row of its batch in
-- libriscribe2_batches. A claim is the number of one handing over, and no two are the same.
create table libriscribe2_jobs (
    batch text not null references libriscribe2_batches,
    book text not null,
    number bigint generated always as identity,
    due timestamptz not null default 'infinity',
    not_before timestamptz not null default '-infinity',
    payload integer not null default 1,
    worker bigint,
    claim bigint,
    primary key (batch, book)
);
create index libriscribe2_jobs_waiting on libriscribe2_jobs (batch, due, number)
    where worker is null;
create index libriscribe2_jobs_held on libriscribe2_jobs (worker) where worker is not null;

create index libriscribe2_log_names on libriscribe2_log (lower(record ->> 'book'))
    where record ->> 't' = 'add';

-- Earlier versions kept the jobs in tables of Procrastinate. Theirs are taken over and the tables
-- are left empty, so that a worker of theirs that still runs finds nothing; what it runs just now
-- is taken over like the books of any worker that has died.
do $$
declare
    gone bigint;
begin
    if to_regclass('procrastinate_jobs') is null then
        return;
    end if;
    insert into libriscribe2_workers (host, pid, program, payload, slots, beat, state)
        values ('earlier version', 0, '', 1, 0, '-infinity', 'ended') returning id into gone;
    insert into libriscribe2_jobs (batch, book, due, not_before, worker, claim)
        select args ->> 'batch', args ->> 'name',
            case when priority = 0 then 'infinity'
                else to_timestamp((2147483647 - priority) * 60.0) end,
            coalesce(scheduled_at, '-infinity'),
            case when status = 'doing' then gone end,
            case when status = 'doing' then nextval('libriscribe2_claims') end
        from procrastinate_jobs where status in ('todo', 'doing')
        order by status = 'todo' desc, id
        on conflict do nothing;
    delete from procrastinate_jobs;
end $$;
