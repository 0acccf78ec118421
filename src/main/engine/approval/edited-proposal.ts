import { CodedError } from '../../../shared/errors'
import type { ApprovalProposal, EditedProposal } from '../../../shared/model/approval'
import { textOf } from '../../../shared/model/message'
import type { PreparedCall, Refusal } from '../tool/tool'
import { visibleCall } from './visible-preview'

/** The call with the user's text. Throws `request.invalid` when it writes no such text, or cannot be made with it. */
export async function withEdit(call: PreparedCall, { path, text }: EditedProposal): Promise<PreparedCall> {
  const texts = await call.proposal?.texts()
  if (!call.proposal || texts?.path !== path)
    throw new CodedError('request.invalid', `edited: this call writes no text to ${path} that could be changed.`)
  const made = await call.proposal.withText(text)
  if ('refused' in made) throw new CodedError('request.invalid', `edited: ${textOf(made.refused.content)}`)
  return made
}

/** What a call proposes to write, or would with the user's text; undefined when it cannot be edited. */
export async function proposalOf(
  call: PreparedCall | Refusal,
  edited: EditedProposal | undefined,
): Promise<ApprovalProposal | undefined> {
  const texts = 'refused' in call ? undefined : await call.proposal?.texts()
  if (!texts || 'refused' in call) return undefined
  const made = edited ? await withEdit(call, edited) : call
  const { preview } = await visibleCall(made.summary, made.preview ?? (async () => undefined))
  return { ...texts, ...(preview && { preview }) }
}
