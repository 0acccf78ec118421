import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../shared/lazy-schema'
import type { PluginPlace } from '../../../shared/model/app/plugin'
import { readConfigText } from '../config/read-config-file'
import { writePrivateFile } from '../config/write-private-file'
import { errorCode } from '../../../shared/error-text'

const Source = lazySchema(() =>
  z.object({
    kind: z.enum(['path', 'git']),
    from: z.string(),
    ref: z.string().optional(),
    commit: z.string().optional(),
  }),
)

const Record = lazySchema(() =>
  z.object({
    name: z.string().min(1),
    /** Real path of the project that has it in `.trestle/plugins`; absent: the user's own. */
    folder: z.string().min(1).optional(),
    source: Source().optional(),
    /** The content of the user's own plugin; a project's content is in its folder. */
    installed: z.string().optional(),
    /** The exact content that the user has accepted. */
    accepted: z.object({ hash: z.string().min(1), at: z.number() }).optional(),
    /** Whether the user has enabled it; it is active only with `accepted`. */
    enabled: z.boolean(),
  }),
)

/**
 * What is known about a plugin and what the user decided. Each record has its own file, so that processes do not
 * overwrite each other's records.
 */
export type PluginRecord = SchemaOutput<typeof Record>

const Removed = lazySchema(() =>
  z.object({
    trashId: z.string().min(1),
    removedAt: z.number(),
    version: z.string(),
    /** Hash of the content to restore. */
    hash: z.string(),
    record: Record(),
  }),
)
export type RemovedRecord = SchemaOutput<typeof Removed>

/** The records of plugins in `$TRESTLE_HOME/plugins`, which an agent's commands cannot access. */
export class PluginRecords {
  readonly #home: string

  constructor(home: string) {
    this.#home = home
  }

  /** False until a plugin is added for the first time, which saves all further checks. */
  get areAny(): boolean {
    return statSync(join(this.#home, 'plugins', 'records'), { throwIfNoEntry: false }) !== undefined
  }

  /** Every readable record. A record that is unreadable or under the wrong name is ignored: it accepts nothing. */
  all(): PluginRecord[] {
    return this.#read('records', Record()).filter((record) => this.fileOf(record) === record.file)
  }

  /** Records of the user and of the project at the real path `folder`. */
  in(folder: string | undefined): PluginRecord[] {
    return this.all().filter((record) => record.folder === undefined || record.folder === folder)
  }

  find(place: PluginPlace): PluginRecord | undefined {
    return this.all().find(({ name, folder }) => name === place.name && folder === place.folder)
  }

  put(record: PluginRecord): void {
    this.#write('records', this.fileOf(record), Record().parse(record))
  }

  remove(place: PluginPlace): void {
    rmSync(this.fileOf(place), { force: true })
  }

  /**
   * Hashes of the contents that records refer to, including those of removed plugins. Undefined if any record cannot be
   * read, because its references are then unknown.
   */
  hashes(): Set<string> | undefined {
    const records = this.#readAll('records', Record())
    const removed = this.#readAll('trash', Removed())
    if (!records || !removed) return undefined
    const used = records.flatMap(({ installed, accepted }) => [installed ?? '', accepted?.hash ?? ''])
    return new Set([...used, ...removed.map(({ hash }) => hash)])
  }

  removed(): RemovedRecord[] {
    return this.#read('trash', Removed()).filter(({ trashId, file }) => this.#trashFile(trashId) === file)
  }

  putRemoved(entry: RemovedRecord): void {
    this.#write('trash', this.#trashFile(entry.trashId), Removed().parse(entry))
  }

  forgetRemoved(trashId: string): void {
    rmSync(this.#trashFile(trashId), { force: true })
  }

  #read<Shape extends z.ZodObject>(kind: string, shape: Shape): (z.infer<Shape> & { file: string })[] {
    const folder = join(this.#home, 'plugins', kind)
    let names: string[]
    try {
      names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    } catch {
      return []
    }
    return names.toSorted().flatMap((name) => {
      const file = join(folder, name)
      const found = readConfigText(file)
      if (!('text' in found)) return []
      try {
        const data = shape.safeParse(JSON.parse(found.text)).data
        return data ? [{ ...data, file }] : []
      } catch {
        return []
      }
    })
  }

  /** Undefined if one of them cannot be read. */
  #readAll<Shape extends z.ZodObject>(kind: string, shape: Shape): z.infer<Shape>[] | undefined {
    const folder = join(this.#home, 'plugins', kind)
    try {
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
      const found = this.#read(kind, shape)
      return found.length === names.length ? found : undefined
    } catch (error) {
      // No record of this kind exists yet.
      return errorCode(error) === 'ENOENT' ? [] : undefined
    }
  }

  #write(kind: string, file: string, value: object): void {
    mkdirSync(join(this.#home, 'plugins', kind), { recursive: true, mode: 0o700 })
    writePrivateFile(file, `${JSON.stringify(value, undefined, 2)}\n`)
  }

  /** The file of a record, which changes with every decision about the plugin. */
  fileOf({ name, folder }: PluginPlace): string {
    const id = createHash('sha256')
      .update(JSON.stringify([folder ?? null, name]))
      .digest('hex')
      .slice(0, 40)
    return join(this.#home, 'plugins', 'records', `${id}.json`)
  }

  #trashFile(trashId: string): string {
    const id = createHash('sha256').update(trashId).digest('hex').slice(0, 40)
    return join(this.#home, 'plugins', 'trash', `${id}.json`)
  }
}
