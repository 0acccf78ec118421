import type { ToolDetails } from '../../../../shared/model/preview'
import { Markdown } from '../markdown/markdown-on-demand'

const DECISIONS = { approve: 'You approved', revise: 'You wanted changes to', reject: 'You rejected', reject_exit: 'You rejected' } as const

/** A plan as it was decided on. */
export function PlanDecisionView({ details }: { details: Extract<ToolDetails, { kind: 'decision' }> }) {
  const { decision, revision, choice, text } = details
  return (
    <>
      <p className="tool-note">
        {DECISIONS[decision]} revision {revision}
        {choice !== undefined && `: ${choice}`}.
      </p>
      <div
        className="max-h-[420px] overflow-y-auto rounded-lg border border-line bg-raised px-4 py-3"
        tabIndex={0}
        role="group"
        aria-label="Plan"
      >
        <Markdown text={text} streaming={false} />
      </div>
    </>
  )
}

/** Questions of the agent with what was answered. */
export function AnswerList({ details: { questions, answers } }: { details: Extract<ToolDetails, { kind: 'answers' }> }) {
  return (
    <dl className="space-y-1.5 rounded-lg border border-line bg-raised px-4 py-3">
      {questions.map(({ question }, index) => {
        const { labels = [], other } = answers?.[index] ?? {}
        return (
          <div key={question}>
            <dt className="text-ink-2">{question}</dt>
            <dd className="font-medium">{answers ? [...labels, ...(other === undefined ? [] : [`“${other}”`])].join(', ') : 'Skipped'}</dd>
          </div>
        )
      })}
    </dl>
  )
}
