import type { ChildProcess } from 'node:child_process'
import { TOO_MANY_FILES } from '../descriptors'

/**
 * The child that `spawn` returned, or the failure thrown at once. Where no descriptor is free, `spawn` returns a child without streams and tells the failure a moment
 * later: who touches a stream before that fails with a TypeError, and then the failure, which nobody listens for yet, ends the program. So every `spawn` goes through here.
 */
export function startedChild<Child extends ChildProcess>(child: Child): Child {
  if ((child.stdio as unknown) !== undefined) return child
  child.on('error', () => {})
  throw Object.assign(new Error(`No process could be started. ${TOO_MANY_FILES}`), { code: 'EMFILE' })
}
