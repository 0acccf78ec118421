import type { TrestleClient } from '../../shared/contract'
import type { AppPush } from '../../shared/model/push'
import type { SubscribeOptions } from './keep-subscribed'
import { keepSubscribed } from './keep-subscribed'

/** Follows the app: session list, settings, models, heartbeats. After each break the whole list comes again. */
export function subscribeApp(client: TrestleClient, onPush: (push: AppPush) => void, options: SubscribeOptions = {}): () => void {
  return keepSubscribed<AppPush>(
    (signal) => client.push.app(undefined, { signal }),
    (push) => {
      onPush(push)
      return true
    },
    options,
  )
}
