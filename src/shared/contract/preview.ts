import { oc, type } from '@orpc/contract'
import { z } from 'zod'

/** Pages of servers on this machine, shown beside a conversation. */
export const previewContract = {
  /**
   * Where a page can load this URL in a frame: an origin of its own, from which the server is reached. Only servers on
   * this machine; null where the host shows no previews.
   */
  open: oc.input(z.strictObject({ url: z.url().max(2000) })).output(type<{ frameUrl: string } | null>()),
}
