import { createRouterClient } from '@orpc/server'
import type { TrestleClient } from '../../shared/contract'
import type { ApiRouter } from './router'

/** The contract without any wire: plain calls, for headless hosts and tests. */
export function directClient(router: ApiRouter): TrestleClient {
  return createRouterClient(router)
}
