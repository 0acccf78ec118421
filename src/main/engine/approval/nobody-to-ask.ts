import { textOf } from '../../../shared/model/message'
import type { GateAnswer } from '../loop/gate'
import type { PersonQuestion, PreparedCall } from '../tool/tool'

/** What becomes of a call that asks where nobody is there: what it would have put to a person is kept all the same. */
export async function nobodyToAsk(call: PreparedCall, asks: PersonQuestion): Promise<GateAnswer> {
  const problem = await call.check?.()
  if (problem) return { allowed: false, message: textOf(problem.content) }
  await asks.asking?.()
  return { allowed: false, message: asks.nobody }
}
