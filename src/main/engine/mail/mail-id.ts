import { CodedError } from '../../../shared/errors'

/**
 * Where a message is: the account, the folder, and its number there, which only counts while the folder keeps its
 * validity.
 */
export interface MailPlaceId {
  account: string
  folder: string
  /** UIDVALIDITY of the folder. */
  validity: string
  uid: number
}

/** The id of a message, as the tools and the command line name it: `work:INBOX:1700000000-42`. */
export function mailId({ account, folder, validity, uid }: MailPlaceId): string {
  return `${account}:${folder}:${validity}-${uid}`
}

/** Reads an id; throws `mail.not_found` for any other text. */
export function parseMailId(id: string): MailPlaceId {
  const [, account, folder, validity, uid] = /^([A-Za-z0-9_-]+):(.+):(\d+)-([1-9]\d{0,9})$/s.exec(id.trim()) ?? []
  if (account === undefined || folder === undefined || validity === undefined)
    throw new CodedError(
      'mail.not_found',
      `${JSON.stringify(id)} is not the id of a message; a search gives ids such as "work:INBOX:1700000000-42".`,
    )
  return { account, folder, validity, uid: Number(uid) }
}
