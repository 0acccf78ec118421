import type { UpdateProblem } from '../../../../shared/configuration/app'

/** Why an update is rejected or fails. */
export type UpdateReason =
  | 'signature'
  | 'feed'
  | 'downgrade'
  | 'older-feed'
  | 'hash'
  | 'partial'
  | 'disk-full'
  | 'unreachable'
  | 'install'

const ADVICE: Record<UpdateReason, string> = {
  signature: 'Nothing was installed. If this happens again, download the release yourself and tell its publisher.',
  feed: 'Nothing was installed. Trestle checks again later.',
  downgrade: 'Nothing was installed. To go back, use the previous version in Settings → About.',
  'older-feed': 'Nothing was installed. A mirror or proxy may be serving an old copy; Trestle checks again later.',
  hash: 'Nothing was installed. Trestle downloads it again at the next check.',
  partial: 'Nothing was installed. Trestle downloads it again at the next check.',
  'disk-full': 'Free some disk space and check again.',
  unreachable: 'Check your network connection. Trestle tries again later.',
  install: 'The installed version was kept. Download the release and install it yourself if this happens again.',
}

/** An expected failure of an update; the installed version is untouched. */
export class UpdateError extends Error {
  readonly reason: UpdateReason

  constructor(reason: UpdateReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UpdateError'
    this.reason = reason
  }

  get problem(): UpdateProblem {
    return { message: this.message, advice: ADVICE[this.reason] }
  }
}

/** Classifies a failure of electron-updater, the network or the disk. */
export function toUpdateError(error: unknown): UpdateError {
  if (error instanceof UpdateError) return error
  const { code = '', message = String(error) } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const make = (reason: UpdateReason, words: string): UpdateError => new UpdateError(reason, words, { cause: error })
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return make('disk-full', 'The update could not be downloaded: the disk is full.')
  if (code === 'ERR_CHECKSUM_MISMATCH')
    return make('hash', 'The downloaded update does not match its published checksum and was discarded.')
  if (/aborted|socket hang up|ECONNRESET|ERR_CONTENT_LENGTH_MISMATCH|premature/i.test(`${code} ${message}`)) {
    return make('partial', 'The update download was interrupted and has been discarded.')
  }
  if (
    /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ERR_INTERNET|ERR_NAME|ERR_CONNECTION|HttpError|CHANNEL_FILE_NOT_FOUND|timed out/i.test(
      `${code} ${message}`,
    )
  ) {
    return make('unreachable', 'The update server could not be reached.')
  }
  return make('install', `The update failed: ${message.split('\n')[0]}`)
}
