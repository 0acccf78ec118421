import { CodedError } from '../../../shared/errors'
import { addChainColumns } from './chain/chain-rows'
import type { Database } from './database/database'
import { addRecordedSpending, SPENDING_TABLES } from './rows/spending-rows'
import { indexEvents } from './text-index'

export interface Migration {
  /** The `user_version` the file has afterwards. */
  version: number
  up(db: Database): void
}

/**
 * Every change to the tables since the first release, in order. A released migration is never edited: write the next
 * one. Each runs in one transaction, after a backup.
 */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, up: (db) => db.exec(TABLES) },
  {
    version: 2,
    up(db) {
      // The text is in the event; the index has only words (text-index.ts), so a message is not stored twice.
      db.exec("CREATE VIRTUAL TABLE search USING fts5(text, content = '', contentless_delete = 1, tokenize = 'ascii')")
      indexEvents(db)
    },
  },
  {
    version: 3,
    up(db) {
      for (const tables of [MEMORY_TABLES, SCHEDULE_TABLES, ALARM_TABLES, NOTIFICATION_TABLES]) db.exec(tables)
    },
  },
  {
    version: 4,
    up(db) {
      db.exec(SPENDING_TABLES)
      addRecordedSpending(db)
    },
  },
  { version: 5, up: addChainColumns },
]

/**
 * The tables of memory. Times are ms since the epoch; a deleted row keeps its content until it is purged, so that
 * deleting can be undone.
 */
const MEMORY_TABLES = `
CREATE TABLE memory (
  id INTEGER NOT NULL PRIMARY KEY,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  category TEXT,
  folder TEXT NOT NULL DEFAULT '',
  author TEXT NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  shown INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  used_at INTEGER,
  active_at INTEGER NOT NULL,
  session_id TEXT,
  seq INTEGER,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX memory_key ON memory (folder, key) WHERE deleted_at IS NULL;
CREATE INDEX memory_active ON memory (folder, active_at) WHERE deleted_at IS NULL;
CREATE INDEX memory_used ON memory (folder, uses, active_at) WHERE deleted_at IS NULL AND uses > 0;
CREATE INDEX memory_deleted ON memory (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE memory_version (
  id INTEGER NOT NULL PRIMARY KEY,
  memory_id INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  change TEXT NOT NULL,
  author TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  category TEXT,
  folder TEXT NOT NULL,
  session_id TEXT
) STRICT;
CREATE INDEX memory_version_of ON memory_version (memory_id, id);
CREATE VIRTUAL TABLE memory_search USING fts5(
  stems, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE memory_words USING fts5(
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
`

/** Schedules and their runs; times as in the tables of memory. */
const SCHEDULE_TABLES = `
CREATE TABLE schedule (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  next_at INTEGER,
  paused INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE INDEX schedule_due ON schedule (next_at) WHERE deleted_at IS NULL AND paused = 0;
CREATE TABLE schedule_run (
  id TEXT NOT NULL PRIMARY KEY,
  schedule_id TEXT NOT NULL REFERENCES schedule (id) ON DELETE CASCADE,
  due_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  status TEXT NOT NULL,
  missed INTEGER NOT NULL DEFAULT 0,
  session_id TEXT,
  owner TEXT,
  reason TEXT
) STRICT;
CREATE INDEX schedule_run_of ON schedule_run (schedule_id, started_at);
CREATE INDEX schedule_run_session ON schedule_run (session_id);
CREATE UNIQUE INDEX schedule_run_open ON schedule_run (schedule_id) WHERE ended_at IS NULL;
`

/** Alarms and countdowns. */
const ALARM_TABLES = `
CREATE TABLE alarm (
  id TEXT NOT NULL PRIMARY KEY,
  label TEXT NOT NULL,
  at INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session_id TEXT
) STRICT;
CREATE INDEX alarm_pending ON alarm (at) WHERE status = 'pending';
`

/** What the user was notified of; a deleted row is kept for a while, so that clearing can be undone. */
const NOTIFICATION_TABLES = `
CREATE TABLE notification (
  id INTEGER NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  source TEXT NOT NULL,
  session_id TEXT,
  read_at INTEGER,
  deleted_at INTEGER
) STRICT;
`

/** The version this program writes. */
export const CURRENT_VERSION = MIGRATIONS.at(-1)?.version ?? 0

const TABLES = `
PRAGMA application_id = 0x54525354;
CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  folder TEXT NOT NULL,
  title TEXT NOT NULL,
  model TEXT,
  status TEXT NOT NULL,
  waiting INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  turn_id TEXT,
  removed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE session_header (
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  fold INTEGER NOT NULL,
  header TEXT NOT NULL
) STRICT;
CREATE INDEX session_open ON session (id) WHERE turn_id IS NOT NULL;
CREATE INDEX session_removed ON session (id) WHERE removed = 1;

CREATE TABLE event (
  id INTEGER NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session (id),
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_order ON event (session_id, seq);
CREATE INDEX event_start ON event (session_id, seq) WHERE type IN ('turn.started', 'step.started');
CREATE INDEX event_history ON event (session_id, seq) WHERE type IN ('turn.started', 'turn.steered', 'step.finished', 'tool.finished');
CREATE TRIGGER event_is_final BEFORE UPDATE ON event BEGIN
  SELECT RAISE(ABORT, 'events are never changed');
END;
CREATE TRIGGER event_goes_with_session BEFORE DELETE ON event
WHEN NOT EXISTS (SELECT 1 FROM session WHERE id = OLD.session_id AND removed = 1) BEGIN
  SELECT RAISE(ABORT, 'events are deleted only with their session');
END;

CREATE TABLE process (
  owner TEXT NOT NULL PRIMARY KEY,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  machine TEXT NOT NULL,
  started TEXT NOT NULL,
  heartbeat INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE lease (
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  owner TEXT NOT NULL REFERENCES process (owner) ON DELETE CASCADE,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_owner ON lease (owner);

CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

/**
 * Migrates a file to the newest version. `backup` is called before each step unless the file is new; its failure stops
 * the migration. Two processes can migrate at the same time, so each step checks the version again inside its
 * transaction. Throws `store.too_new` when a newer Trestle wrote the file.
 */
export function migrate(
  db: Database,
  options: { migrations?: readonly Migration[]; backup: (fromVersion: number) => void },
): void {
  const { migrations = MIGRATIONS, backup } = options
  const newest = migrations.at(-1)?.version ?? 0
  const found = versionOf(db)
  if (found > newest) {
    throw new CodedError(
      'store.too_new',
      `The session store has version ${found}; this Trestle knows up to version ${newest}.`,
    )
  }
  if (found === newest) return
  const isNew = isEmpty(db)
  // Another process may be filling an index now: wait longer than for a normal transaction.
  db.pragma('busy_timeout = 60000')
  for (const migration of migrations) {
    const version = versionOf(db)
    if (migration.version <= version) continue
    if (!isNew) backup(version)
    db.transaction(() => {
      if (versionOf(db) >= migration.version) return
      migration.up(db)
      db.pragma(`user_version = ${migration.version}`)
    }).immediate()
  }
}

export function versionOf(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}

function isEmpty(db: Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}
