import type {
  MailAccount,
  MailAccountView,
  MailDraft,
  MailFlag,
  MailFound,
  MailMessage,
  MailQuery,
  MailSent,
  MailTest,
} from '../../../shared/model/mail'

/** What the user does with mail, in any host. Failures are `CodedError`s. */
export interface MailActions {
  accounts(): MailAccountView[]
  /** Adds or changes an account. Without a password, the stored one stays. */
  save(account: MailAccount, password?: string): Promise<MailAccountView>
  /** Removes the account with its password. */
  remove(id: string): Promise<void>
  /** Brings back an account that was removed since the engine was started, with its password. */
  restore(id: string): Promise<MailAccountView>
  test(id: string): Promise<MailTest>
  search(query: MailQuery): Promise<MailFound>
  read(id: string): Promise<MailMessage>
  draft(draft: MailDraft): Promise<{ account: string; folder: string }>
  send(draft: MailDraft): Promise<MailSent>
  move(ids: readonly string[], folder: string): Promise<{ moved: number; folder: string }>
  flag(ids: readonly string[], as: MailFlag): Promise<number>
}
