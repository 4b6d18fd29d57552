create table libriscribe2_schema (number integer not null);

create table libriscribe2_batches (
    name text primary key,
    paused boolean not null default false
);

-- The log of every batch. Whoever adds to a batch holds its row in libriscribe2_batches, so the
-- numbers of one batch are seen in the order in which they were given.
create table libriscribe2_log (
    number bigint generated always as identity primary key,
    batch text not null references libriscribe2_batches,
    record jsonb not null
);
create index libriscribe2_log_batch on libriscribe2_log (batch, number);

create table libriscribe2_accounts (
    account text primary key,
    not_before timestamptz not null default '-infinity'
);

create table libriscribe2_shares (
    account text not null references libriscribe2_accounts,
    at timestamptz not null,
    kilo_tokens integer not null
);
create index libriscribe2_shares_at on libriscribe2_shares (account, at);

-- Takes a request's share of an account and returns 0, or the seconds after which to ask again.
-- Time is the database's alone: the clocks of the workers do not matter. A null limit is none.
create function libriscribe2_take(
    of_account text, request_limit integer, kilo_limit integer, kilo integer, span interval
) returns double precision language plpgsql as $$
declare
    moment timestamptz;
    free_at timestamptz;
    wanted integer := least(kilo, coalesce(kilo_limit, kilo));
begin
    insert into libriscribe2_accounts (account) values (of_account) on conflict do nothing;
    select not_before into free_at from libriscribe2_accounts
        where account = of_account for update;
    moment := clock_timestamp();
    delete from libriscribe2_shares where account = of_account and at <= moment - span;
    with shares as (
        select at + span as ends,
            row_number() over newest as requests,
            sum(kilo_tokens) over newest as kilos
        from libriscribe2_shares where account = of_account
        window newest as (order by at desc, ctid)
    )
    select greatest(free_at, max(ends)) into free_at from shares
        where requests >= request_limit or kilos + wanted > kilo_limit;
    if free_at > moment then
        return greatest(0.001, extract(epoch from free_at - moment));
    end if;
    insert into libriscribe2_shares values (of_account, moment, wanted);
    return 0;
end $$;
