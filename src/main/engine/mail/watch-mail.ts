import type { ImapFlow } from 'imapflow'
import { errorText } from '../../../shared/error-text'
import type { MailFilter, MailPosition, MailSummary } from '../../../shared/model/assistant/mail'
import { connectImap, folderPath, validityOf, type SignedAccount } from './mail-connection'
import { mailError } from './mail-failure'
import { criteria, summaries, uidsOf } from './search-mail'

export interface MailWatch {
  filter: MailFilter
  /**
   * Called once for each new message that matches the filter, oldest first; `position` is where to continue after a
   * restart. To start an agent, give it the id only, never what the sender wrote: it reads the message with MailRead,
   * and its conversation then counts as one that contains mail.
   */
  onMail(mail: MailSummary, position: MailPosition): void
  /**
   * Called when the position to continue from changes without a reported message: when the watch starts without
   * `since`, when the folder was recreated, and after messages that do not match.
   */
  onPosition?(position: MailPosition): void
  /** Called once when the watch starts failing (it is retried later), and with undefined when it works again. */
  onProblem?(problem: Error | undefined): void
  /**
   * Where an earlier watch stopped: messages since then are reported. Default: only messages that arrive from now on.
   */
  since?: MailPosition
}

export interface WatchDeps {
  /** The account with its current password; rejects while it cannot be used. */
  sign(): Promise<SignedAccount>
  /** How long to wait before the attempt with this number, from 1, in ms. Default: 2 s, doubled up to 5 min. */
  retryMs?(attempt: number): number
}

/** IDLE is restarted before servers and routers drop a silent connection. */
const IDLE_MS = 9 * 60_000
/** Maximum number of messages whose headers are fetched in one request. */
const MAX_NEW = 200

/** One connection that watches a folder for all listeners. */
export interface FolderWatcher {
  /** Returns the function that stops it. */
  add(watch: MailWatch): () => void
  readonly isEmpty: boolean
  close(): void
}

interface Listener {
  watch: MailWatch
  position: MailPosition | undefined
}

/**
 * Watches a folder with IDLE, starting with the first listener. Reconnects after a lost connection, and then reports
 * the mail that has arrived since.
 */
export function createFolderWatcher(folder: string, { sign, retryMs = backoff }: WatchDeps): FolderWatcher {
  const listeners = new Set<Listener>()
  let client: ImapFlow | undefined
  let timer: NodeJS.Timeout | undefined
  let attempt = 0
  let closed = false
  let running = false
  /** Checks run one at a time, so that each starts from the positions of the previous one. */
  let looking: Promise<void> = Promise.resolve()
  let look: (() => void) | undefined

  const report = (problem: Error | undefined): void => {
    for (const { watch } of listeners) {
      try {
        watch.onProblem?.(problem)
      } catch {
        // A schedule that cannot be notified must neither end the watch nor affect the others.
      }
    }
  }

  async function connect(): Promise<void> {
    running = true
    let failure: Error | undefined
    try {
      const signed = await sign()
      const opened = await connectImap(signed, undefined, { idleMs: IDLE_MS })
      if (closed) return opened.close()
      client = opened
      try {
        await watchFolder(opened, signed)
      } catch (error) {
        throw error instanceof HandlerError
          ? error
          : mailError(error, { account: signed.account, server: 'imap', password: signed.password })
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    } finally {
      client?.close()
      client = undefined
      look = undefined
      running = false
    }
    retry(failure)
  }

  function retry(failure: Error | undefined): void {
    if (closed || listeners.size === 0) return
    attempt += 1
    if (attempt === 1 && failure) report(failure)
    timer = setTimeout(() => {
      timer = undefined
      void connect()
    }, retryMs(attempt))
    timer.unref()
  }

  async function watchFolder(opened: ImapFlow, signed: SignedAccount): Promise<void> {
    const path = await folderPath(opened, signed.account, folder)
    const box = await opened.mailboxOpen(path, { readOnly: true })
    const where = { account: signed.account.id, folder: path, validity: validityOf(box) }
    for (const listener of listeners) {
      if (listener.position?.validity === where.validity) continue
      const newest = await newestIn(opened)
      try {
        moveTo(listener, { validity: where.validity, uid: newest })
      } catch {
        // The next check tries again and reports the failure.
      }
    }
    let failure: unknown
    let isWanted = false
    look = () => {
      // One that has not started yet will also find the new message.
      if (isWanted) return
      isWanted = true
      looking = looking
        .then(() => {
          isWanted = false
          return lookForNew(opened, where)
        })
        .catch((error: unknown) => {
          failure ??= error
          opened.close()
        })
    }
    opened.on('exists', () => look?.())
    const gone = new Promise<void>((resolve) => opened.once('close', () => resolve()))
    look()
    await looking
    // Only a connection that worked is retried soon.
    if (failure !== undefined) throw failure
    if (attempt > 0) report(undefined)
    attempt = 0
    await gone
    throw failure ?? new Error('The mail server closed the connection.')
  }

  async function lookForNew(
    opened: ImapFlow,
    where: { account: string; folder: string; validity: string },
  ): Promise<void> {
    let failure: HandlerError | undefined
    for (const listener of listeners) {
      if (!opened.mailbox) break
      try {
        if (listener.position?.validity !== where.validity)
          moveTo(listener, { validity: where.validity, uid: await newestIn(opened) })
        await handNew(opened, where, listener)
      } catch (error) {
        // The other listeners are still notified.
        if (!(error instanceof HandlerError)) throw error
        failure ??= error
      }
    }
    if (failure) throw failure
  }

  async function handNew(
    opened: ImapFlow,
    where: { account: string; folder: string; validity: string },
    listener: Listener,
  ): Promise<void> {
    const from = listener.position!
    const { watch } = listener
    // A range that ends in * always includes the last message.
    const found = (await uidsOf(opened, { ...criteria(watch.filter), uid: `${from.uid + 1}:*` })).filter(
      (uid) => uid > from.uid,
    )
    const all = found.length === 0 ? [] : await uidsOf(opened, { uid: `${from.uid + 1}:*` })
    const last = greatest([from.uid, ...all, ...found])
    const sorted = found.toSorted((a, b) => a - b)
    for (let n = 0; n < sorted.length; n += MAX_NEW) {
      const mails = await summaries(opened, where, sorted.slice(n, n + MAX_NEW))
      for (const mail of mails.toSorted((a, b) => uidOf(a) - uidOf(b))) {
        if (!listeners.has(listener)) break
        const position = { validity: where.validity, uid: uidOf(mail) }
        hand('A new message could not be handled', () => watch.onMail(mail, position))
        listener.position = position
      }
    }
    if (last > listener.position!.uid) moveTo(listener, { validity: where.validity, uid: last })
  }

  function moveTo(listener: Listener, position: MailPosition): void {
    if (listeners.has(listener))
      hand('How far mail was watched could not be kept', () => listener.watch.onPosition?.(position))
    listener.position = position
  }

  return {
    add(watch) {
      const listener: Listener = { watch, position: watch.since }
      listeners.add(listener)
      if (!running && timer === undefined) void connect()
      else look?.()
      return () => {
        listeners.delete(listener)
      }
    },
    get isEmpty() {
      return listeners.size === 0
    },
    close() {
      closed = true
      clearTimeout(timer)
      client?.close()
    },
  }
}

/** The number of the newest message in the open folder; 0 if it is empty. Not every server reports the next number. */
async function newestIn(client: ImapFlow): Promise<number> {
  const next = client.mailbox ? client.mailbox.uidNext : undefined
  return next ? next - 1 : greatest(await uidsOf(client, { all: true }))
}

/** `Math.max` fails with as many arguments as a folder can have messages. */
function greatest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0)
}

/** A listener failed to handle a message; the mail server did not fail. */
class HandlerError extends Error {
  override readonly name = 'HandlerError'
}

/** A message that cannot be handled, for example because the disk is full, is retried, so none is lost. */
function hand(what: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const reason = errorText(error)
    throw new HandlerError(`${what}: ${reason}`, { cause: error })
  }
}

function uidOf({ id }: MailSummary): number {
  return Number(id.slice(id.lastIndexOf('-') + 1))
}

function backoff(attempt: number): number {
  return Math.min(2_000 * 2 ** (attempt - 1), 5 * 60_000)
}
