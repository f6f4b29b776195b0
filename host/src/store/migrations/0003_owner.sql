-- Version 3: the process that plays a run, so that a run whose process died can be told.

ALTER TABLE runs ADD COLUMN owner INTEGER;
