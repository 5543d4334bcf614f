-- A first hold names itself twice in its buyer's row, which grows by a third: with room for all of the page's rows to be
-- written once more, none of them needs another entry in the index.
alter table buyer set (fillfactor = 42);
