import { folderPath, inFolder, withImap, type SignedAccount, parseMailId } from './mail-connection'
import { assertSameFolder, goneError } from './read-mail'
import { CodedError } from '../../../shared/errors'
import type { MailFlag } from '../../../shared/model/assistant/mail'

const FLAGS: Record<MailFlag, { flag: string; set: boolean }> = {
  read: { flag: '\\Seen', set: true },
  unread: { flag: '\\Seen', set: false },
  flagged: { flag: '\\Flagged', set: true },
  unflagged: { flag: '\\Flagged', set: false },
  answered: { flag: '\\Answered', set: true },
}

/** Moves messages of one folder to another. Returns where they went and how many were moved. */
export async function moveMail(
  signed: SignedAccount,
  ids: readonly string[],
  folder: string,
  signal?: AbortSignal,
): Promise<{ moved: number; folder: string }> {
  return withImap(signed, signal, async (client) => {
    const target = await folderPath(client, signed.account, folder)
    const moved = await forEachFolder(ids, ({ from, validity, uids, ids: own }) =>
      inFolder(client, from, { readOnly: false }, async (now) => {
        assertSameFolder({ account: signed.account.id, folder: from, validity, uid: 0 }, now)
        const there = await existing(client, uids)
        if (there.length === 0) throw goneError(own[0] ?? '')
        if (from === target) return there.length
        const result = await client.messageMove(there.join(','), target, { uid: true })
        if (!result)
          throw new CodedError('mail.rejected', `The messages could not be moved to ${JSON.stringify(target)}.`)
        return there.length
      }),
    )
    return { moved, folder: target }
  })
}

/** Marks messages; returns how many. */
export async function flagMail(
  signed: SignedAccount,
  ids: readonly string[],
  as: MailFlag,
  signal?: AbortSignal,
): Promise<number> {
  const { flag, set } = FLAGS[as]
  return withImap(signed, signal, (client) =>
    forEachFolder(ids, ({ from, validity, uids, ids: own }) =>
      inFolder(client, from, { readOnly: false }, async (now) => {
        assertSameFolder({ account: signed.account.id, folder: from, validity, uid: 0 }, now)
        const there = await existing(client, uids)
        if (there.length === 0) throw goneError(own[0] ?? '')
        const range = there.join(',')
        const done = set
          ? await client.messageFlagsAdd(range, [flag], { uid: true })
          : await client.messageFlagsRemove(range, [flag], { uid: true })
        if (!done) throw new CodedError('mail.rejected', 'The messages could not be marked.')
        return there.length
      }),
    ),
  )
}

type Client = Parameters<Parameters<typeof withImap<number>>[2]>[0]

async function existing(client: Client, uids: readonly number[]): Promise<number[]> {
  const found = await client.search({ uid: uids.join(',') }, { uid: true })
  return found || []
}

/** Messages of one folder. */
interface FolderGroup {
  from: string
  validity: string
  uids: number[]
  ids: string[]
}

async function forEachFolder(ids: readonly string[], work: (group: FolderGroup) => Promise<number>): Promise<number> {
  const groups = new Map<string, FolderGroup>()
  for (const id of ids) {
    const { folder, validity, uid } = parseMailId(id)
    const key = `${validity}:${folder}`
    const group = groups.get(key) ?? { from: folder, validity, uids: [], ids: [] }
    group.uids.push(uid)
    group.ids.push(id)
    groups.set(key, group)
  }
  let count = 0
  for (const group of groups.values()) count += await work(group)
  return count
}
