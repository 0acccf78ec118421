import { useState, type ReactNode } from 'react'
import { fileDiffs, type FileDiff, type ToolDetails } from '../../../../shared/model/approval/preview'
import { type ResultPart, textOf } from '../../../../shared/model/turn/message'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { ArgumentList } from '../../../ui/content/visible-tokens'
import { CopyButton } from '../../../ui/content/copy-button'
import { FileDiffList } from '../../../ui/code/diff-view'
import { EventResult, OpenedAddress } from './device-results'
import { Subagent } from './subagent'
import { TerminalText } from '../../../ui/content/terminal-text'
import { BackgroundTask, CommandOutput } from './background-task'
import { CallQuestions, ServerResult } from './server-result'
import {
  EntryList,
  FileLines,
  MatchList,
  MediaPreview,
  TodoItems,
  LoadedTools,
  PlainText,
  HitList,
  PageView,
} from './result-views'
import { namedArguments, prettyInput } from './tool-summary'
import { Markdown } from '../markdown/markdown-on-demand'
import { shortPath } from '../../../format/folder-name'
import { useAppInfo } from '../../../state/page/queries'

/** A call in full: its result in the matching view, and on request the arguments as the model wrote them. */
export function ToolDetailsView({ item }: { item: ToolItem }) {
  const [input, setInput] = useState(false)
  const [why, setWhy] = useState(false)
  const question = judgedQuestion(item)
  const named = input ? namedArguments(item) : undefined
  return (
    <>
      {item.approval?.feedback && <p className="tool-note">Your feedback: {item.approval.feedback}</p>}
      {item.questions && <CallQuestions questions={item.questions} />}
      <Body item={item} />
      <div className="tool-acts">
        <button type="button" aria-expanded={input} onClick={() => setInput(!input)}>
          {input ? 'Hide arguments' : 'Arguments'}
        </button>
        {question !== undefined && (
          <button type="button" aria-expanded={why} onClick={() => setWhy(!why)}>
            {question}
          </button>
        )}
        <CopyButton text={() => resultText(item)} label="Copy the result" />
      </div>
      {why && <WhyJudged item={item} />}
      {input &&
        (named ? (
          <Framed>
            <ArgumentList arguments={named} />
          </Framed>
        ) : (
          <PlainText text={prettyInput(item.input)} label="Arguments" />
        ))}
    </>
  )
}

function Body({ item }: { item: ToolItem }): ReactNode {
  if (item.agent) return <Subagent item={item} />
  if (item.content === undefined) return <Unfinished item={item} />
  const failed = item.state === 'failed' || item.state === 'rejected'
  const text = textOf(item.content)
  const { details } = item
  // A failed command shows its output; any other failure shows the tool's message.
  if (failed && details?.kind !== 'output')
    return <PlainText text={text} label="Error" failed={item.state === 'failed'} />
  if (!details) return text === '' ? <p className="tool-note">No output.</p> : <PlainText text={text} label="Result" />
  return <Details details={details} content={item.content} />
}

function Unfinished({ item }: { item: ToolItem }): ReactNode {
  if (item.progress !== '') return <TerminalText text={item.progress} live={item.state === 'running'} />
  if (item.preview?.kind === 'diff' || item.preview?.kind === 'diffs') return <Diffs files={fileDiffs(item.preview)} />
  if (item.preview?.kind === 'command') return <TerminalText text={`$ ${item.preview.command}`} label="Command" />
  if (item.preview?.kind === 'call')
    return (
      <Framed>
        <ArgumentList arguments={item.preview.arguments} left={item.preview.left} />
      </Framed>
    )
  if (item.preview?.kind === 'event') return <EventResult details={item.preview} />
  if (item.preview?.kind === 'text') return <PlainText text={item.preview.text} label="Preview" />
  if (item.state === 'interrupted')
    return <p className="tool-note">The turn ended before this call had a result. It may have done part of its work.</p>
  return <p className="tool-note">{item.state === 'running' ? 'Nothing to show yet' : 'Not started yet.'}</p>
}

function Details({ details, content }: { details: ToolDetails; content: readonly ResultPart[] }): ReactNode {
  switch (details.kind) {
    case 'diff':
    case 'diffs':
      return <Diffs files={fileDiffs(details)} />
    case 'command':
      return <TerminalText text={`$ ${details.command}`} label="Command" />
    case 'text':
      return <PlainText text={details.text} label="Result" />
    case 'open':
      return <OpenedAddress details={details} />
    case 'event':
      return <EventResult details={details} />
    case 'file':
      return <FileLines details={details} fallback={textOf(content)} />
    case 'output':
      return <CommandOutput details={details} />
    case 'task':
      return details.started ? <BackgroundTask details={details} /> : <PlainText text={textOf(content)} label="Task" />
    case 'agent':
      return <PlainText text={details.text} label="Last message" />
    case 'tasks':
      return <PlainText text={textOf(content)} label="Tasks" />
    case 'matches':
      return <MatchList details={details} />
    case 'entries':
      return <EntryList details={details} />
    case 'media':
      return <MediaPreview details={details} content={content} />
    case 'server':
      return <ServerResult details={details} content={content} />
    case 'page':
      return <PageView details={details} />
    case 'hits':
      return <HitList details={details} />
    case 'call':
      return <ArgumentList arguments={details.arguments} left={details.left} />
    case 'plan':
    case 'questions':
    case 'form':
    case 'link':
    case 'sampling':
    case 'sandbox':
      return <PlainText text={textOf(content)} label="Result" />
    case 'decision':
      return <PlanDecisionView details={details} />
    case 'd-mail':
      return <PlainText text={details.message} label="Message" />
    case 'answers':
      return <AnswerList details={details} />
    case 'tools':
      return <LoadedTools details={details} />
    default:
      return <TodoItems todos={details.todos} />
  }
}

function Diffs({ files }: { files: readonly FileDiff[] }) {
  return (
    <Framed>
      <FileDiffList files={files} />
    </Framed>
  )
}

function Framed({ children }: { children: ReactNode }) {
  return <div className="overflow-hidden rounded-lg border border-line bg-raised">{children}</div>
}

function resultText(item: ToolItem): string {
  if (item.details?.kind === 'output') return item.details.text
  const diffs = fileDiffs(item.details)
  if (diffs.length > 0) return diffs.map(({ diff }) => diff).join('')
  return item.content ? textOf(item.content) : item.progress
}

const DECISIONS = {
  approve: 'You approved',
  revise: 'You requested changes to',
  reject: 'You rejected',
  reject_exit: 'You rejected',
} as const

/** A plan with the decision. */
function PlanDecisionView({ details }: { details: Extract<ToolDetails, { kind: 'decision' }> }) {
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

/** Questions of the agent with the answers. */
function AnswerList({ details: { questions, answers } }: { details: Extract<ToolDetails, { kind: 'answers' }> }) {
  return (
    <dl className="space-y-1.5 rounded-lg border border-line bg-raised px-4 py-3">
      {questions.map(({ question }, index) => {
        const { labels = [], other } = answers?.[index] ?? {}
        return (
          <div key={question}>
            <dt className="text-ink-2">{question}</dt>
            <dd className="font-medium">
              {answers ? [...labels, ...(other === undefined ? [] : [`“${other}”`])].join(', ') : 'Skipped'}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Label of the button that explains the decision; undefined when there is nothing to explain. */
function judgedQuestion({ judged, approval }: ToolItem): string | undefined {
  if (judged) return judged.decision === 'allow' ? 'Why was this allowed?' : 'Why was this denied?'
  return approval?.reason === undefined ? undefined : 'Why wasn’t I asked?'
}

/** Why a call ran or was denied without asking the user: the recorded reason, with the rule and its location. */
function WhyJudged({ item }: { item: ToolItem }) {
  const { data: info } = useAppInfo()
  const { judged, approval } = item
  const rule = judged?.rule
  return (
    <div className="tool-note" role="note">
      <p>{judged?.reason ?? approval?.reason}</p>
      {rule && (
        <p>
          The rule:{' '}
          <code>
            {rule.decision} {rule.pattern}
          </code>{' '}
          {rule.scope === 'session' ? 'for this session' : `(${rule.scope === 'user' ? 'yours' : "the project's"})`}
          {rule.scope !== 'session' && (
            <>
              , in{' '}
              <code>
                {shortPath(rule.file, info?.userHome)}
                {rule.line !== undefined && `:${rule.line}`}
              </code>
            </>
          )}
        </p>
      )}
    </div>
  )
}
