import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { ApprovalOption, PersonAnswer } from '../../../../shared/model/approval/approval'
import type { PlanAlternative, PlanDecision } from '../../../../shared/model/turn/plan'
import { visibleLine, visibleText } from '../../../../shared/visible-text'
import type { SessionPlan } from '../../plan/session-plan'
import { failed, type PersonQuestion, type Tool, type ToolResult } from '../tool'
import { unifiedDiff } from '../../workspace/unified-diff'
import description from './exit-plan-mode.md?raw'

/** Maximum length of a plan: it is stored with the request, and the user has to read it. */
const MAX_CHARS = 100_000
const RESERVED = new Set([
  'approve',
  'reject',
  'reject and exit',
  'reject and leave plan mode',
  'revise',
  'request changes',
])

const input = lazySchema(() =>
  z.strictObject({
    options: z
      .array(
        z.strictObject({
          label: z.string().trim().min(1).max(80).describe('A few words, at most 80 characters'),
          description: z.string().trim().describe('What this way means'),
        }),
      )
      .min(1)
      .max(3)
      .superRefine((options, context) => {
        const seen = new Set<string>()
        for (const [index, { label }] of options.entries()) {
          const word = label.toLowerCase()
          const path = [index, 'label']
          if (RESERVED.has(word))
            context.addIssue({ code: 'custom', path, message: `"${label}" is reserved: it is always offered` })
          if (seen.has(word))
            context.addIssue({ code: 'custom', path, message: `"${label}" appears twice: labels must be unique` })
          seen.add(word)
        }
      })
      .optional()
      .describe('Ways to go, of which the user chooses one'),
  }),
)

interface Draft {
  text: string
  revision: number
  diff?: string
}

/** Presents the plan to the user. */
export function exitPlanModeTool({ plan }: { plan: SessionPlan }): Tool<typeof input> {
  return {
    name: 'ExitPlanMode',
    description,
    input,
    subject: [],
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    // The user can take any amount of time.
    timeoutMs: null,
    maxResultChars: MAX_CHARS * 2,
    async prepare({ options = [] }) {
      const alternatives = options.map(({ label, description: about }) => ({
        label: visibleLine(label),
        description: visibleText(about),
      }))
      let draft: Draft | undefined
      return {
        summary: '',
        accesses: [{ kind: 'all' }],
        async check() {
          const found = await readDraft(plan)
          if (typeof found === 'string') return failed(found)
          draft = found
          return undefined
        },
        async preview() {
          draft ??= await readDraft(plan).then((found) => (typeof found === 'string' ? undefined : found))
          return draft && { kind: 'plan', path: plan.file(), alternatives, ...draft }
        },
        asks: {
          about: 'plan',
          reason: 'The agent has finished its plan. Nothing but the plan can change until you approve it.',
          options: planOptions(alternatives),
          unattended:
            `No user is available to approve the plan. It is in ${plan.file()}; ` +
            'plan mode stays on, so nothing else can change. End here, and say where the plan is.',
          async asking() {
            if (draft) await plan.submit(draft.text)
          },
          problemOf,
        } satisfies PersonQuestion,
        async run({ answer }) {
          if (!answer) return failed('The plan was not shown to the user.')
          return decisionResult(plan, answer, alternatives)
        },
      }
    },
  }
}

/** The plan to present to the user, or why there is nothing to present. */
async function readDraft(plan: SessionPlan): Promise<Draft | string> {
  if (!plan.active) return 'Plan mode is not on. Call EnterPlanMode first, or just do what is asked.'
  const text = await plan.text()
  if (text === undefined || text.trim() === '')
    return `The plan is empty: write it to ${plan.file()} first, then call ExitPlanMode again.`
  if (text.length > MAX_CHARS)
    return (
      `The plan has ${text.length.toLocaleString('en-US')} characters; ` +
      `at most ${MAX_CHARS.toLocaleString('en-US')} can be reviewed. Shorten ${plan.file()}.`
    )
  const latest = plan.latest()
  if (!latest) return { text, revision: 1 }
  const before = await plan.revisionText(latest).catch(() => undefined)
  const { diff } = await unifiedDiff('plan.md', before, text)
  return { text, revision: latest.revision + 1, ...(before !== undefined && { diff }) }
}

function planOptions(alternatives: readonly PlanAlternative[]): ApprovalOption[] {
  const approve: ApprovalOption[] =
    alternatives.length === 0
      ? [{ optionId: 'approve', kind: 'allow_once', name: 'Approve' }]
      : alternatives.map(({ label }, index) => ({
          optionId: `approve-${index + 1}`,
          kind: 'allow_once',
          name: `Approve: ${label}`,
        }))
  return [
    ...approve,
    { optionId: 'revise', kind: 'reject_once', name: 'Request changes' },
    { optionId: 'reject', kind: 'reject_once', name: 'Reject' },
    { optionId: 'reject_exit', kind: 'reject_once', name: 'Reject and leave plan mode' },
  ]
}

function problemOf({ optionId, feedback = '', comments = [] }: PersonAnswer): string | undefined {
  if (optionId !== 'revise' || feedback.trim() !== '' || comments.length > 0) return undefined
  return 'feedback: say what should change, as text or as comments on lines.'
}

/** Records the user's decision on the latest revision, and reports the consequences to the agent. */
async function decisionResult(
  plan: SessionPlan,
  answer: PersonAnswer,
  alternatives: readonly PlanAlternative[],
): Promise<ToolResult> {
  const latest = plan.latest()
  if (!latest) throw new Error('A plan was decided on that was never submitted.')
  const text = await plan.revisionText(latest)
  const choice = alternatives[Number(/^approve-(\d)$/.exec(answer.optionId)?.[1]) - 1]?.label
  const decision = answer.optionId.startsWith('approve')
    ? 'approve'
    : (answer.optionId as Exclude<PlanDecision, 'approve'>)
  plan.resolve(latest.revision, decision, choice)
  const { revision } = latest
  return {
    content: [
      {
        type: 'text',
        text: decisionMessage(decision, { plan, text, revision, answer, ...(choice !== undefined && { choice }) }),
      },
    ],
    details: { kind: 'decision', revision, text, decision, ...(choice !== undefined && { choice }) },
    ...((decision === 'reject' || decision === 'reject_exit') && { isError: true, endsTurn: true }),
  }
}

interface Decided {
  plan: SessionPlan
  text: string
  revision: number
  answer: PersonAnswer
  choice?: string
}

function decisionMessage(decision: PlanDecision, { plan, text, revision, answer, choice }: Decided): string {
  const { feedback = '', comments = [] } = answer
  const said = feedback === '' ? '' : `\n\nThe user says: ${feedback}`
  switch (decision) {
    case 'approve': {
      const which =
        choice === undefined
          ? 'Carry it out.'
          : `The user chose "${choice}": carry out only this one, none of the other ways the plan describes.`
      return (
        `The user approved the plan (revision ${revision}). Plan mode is off; all tools are available again, ` +
        `under the usual permissions. ${which}${said}\n\nThe approved plan:\n\n${text}`
      )
    }
    case 'revise': {
      const lines = text.split(/\r?\n/)
      const notes = comments.map(
        ({ line, text: note }) => `- line ${line} (${JSON.stringify((lines[line - 1] ?? '').slice(0, 200))}): ${note}`,
      )
      const onLines = notes.length === 0 ? '' : `\n\nComments on lines of revision ${revision}:\n${notes.join('\n')}`
      const mode = plan.active ? 'Plan mode stays on.' : 'The user has turned plan mode off in the meantime.'
      return (
        `The user wants changes to the plan. ${mode}${said}${onLines}\n\n` +
        `Change ${plan.file()}, then call ExitPlanMode again.`
      )
    }
    case 'reject':
      return `The user rejected the plan. Plan mode stays on and the turn ends.${said}`
    default:
      return `The user rejected the plan and ended plan mode. The turn ends.${said}`
  }
}
