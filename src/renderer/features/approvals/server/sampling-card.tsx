import { useState } from 'react'
import type { ApprovalOption } from '../../../../shared/model/approval/approval'
import type { Preview } from '../../../../shared/model/approval/preview'
import { Button } from '../../../ui/button'
import { VisibleTokens } from '../../../ui/content/visible-tokens'
import { ErrorNote } from '../../../ui/notice'
import type { ApprovalCardProps } from '../approval-card'
import { PreviewEnd } from '../proposal/preview-view'
import { optionKeys, useCardKeys, useAnswerGrace } from '../card-actions'
import { useReply } from '../use-reply'
import { ServerCard } from '../card-head'

interface SamplingCardProps extends ApprovalCardProps {
  sampling: Extract<Preview, { kind: 'sampling' }>
}

/**
 * A request of an MCP server to the model, and then the model's response: the server gets nothing that the user has not
 * read.
 */
export function SamplingCard(props: SamplingCardProps) {
  const { sampling, approval, behind = 0, place = '', blocked } = props
  const { server, system, messages, maxTokens, answer } = sampling
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const locked = sent || blocked !== undefined
  // Each text scrolls separately, and all of them must be seen.
  const texts = answer ? 1 : messages.length + (system === undefined ? 0 : 1)
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const see = (text: string): void => setSeen((before) => new Set(before).add(text))
  const canAct = ({ kind }: ApprovalOption): boolean => kind === 'reject_once' || seen.size >= texts
  const act = (index: number): void => {
    const option = approval.options[index]
    if (option && !locked && grace.isArmed && canAct(option)) send({ optionId: option.optionId })
  }
  const keys = optionKeys(approval.options)
  useCardKeys([...keys.values()], !locked, grace.since, (key) =>
    act(approval.options.findIndex(({ optionId }) => keys.get(optionId) === key)),
  )

  return (
    <ServerCard
      ref={card}
      label={answer ? `The model’s answer for ${server}` : `${server} wants to use your model`}
      behind={behind}
      title={
        answer ? (
          <>
            Send this answer to <b>{server}</b>?
          </>
        ) : (
          <>
            <b>{server}</b> wants to use your model
          </>
        )
      }
    >
      <div className="approval-body">
        {answer ? (
          <SamplingText
            title={answer.model}
            text={answer.text === '' ? 'No answer' : answer.text}
            onSeen={() => see('answer')}
          />
        ) : (
          <>
            {system !== undefined && <SamplingText title="Instructions" text={system} onSeen={() => see('system')} />}
            {messages.map(({ role, text }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- they never change
              <SamplingText
                key={index}
                title={role === 'user' ? 'Question' : 'Supplied as the model’s response'}
                text={text}
                onSeen={() => see(String(index))}
              />
            ))}
          </>
        )}
        <p className="approval-note">
          {answer
            ? 'The server gets only this answer: no conversation, no tools.'
            : 'The model sees only this, not the conversation, and has no tools. ' +
              `Up to ${maxTokens.toLocaleString()} tokens. You review the answer first.`}
        </p>
        {failure && <ErrorNote failure={failure} className="m-3" />}
      </div>
      <div className="approval-acts">
        {approval.options.map(({ optionId, kind, name }, index) => (
          <Button
            key={optionId}
            variant={kind === 'allow_once' ? 'primary' : 'default'}
            {...(keys.has(optionId) && { kbd: keys.get(optionId)! })}
            disabled={locked}
            className={canAct(approval.options[index]!) ? undefined : 'opacity-50'}
            aria-disabled={!grace.isArmed || !canAct(approval.options[index]!) || undefined}
            onClick={() => act(index)}
          >
            {name}
          </Button>
        ))}
        {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
        <span className={seen.size >= texts ? 'sr-only' : 'approval-hint'} role="status">
          {grace.isArmed &&
            (seen.size >= texts ? 'You can answer now.' : 'Scroll to the end of each text to allow this.')}
        </span>
      </div>
    </ServerCard>
  )
}

function SamplingText({ title, text, onSeen }: { title: string; text: string; onSeen: () => void }) {
  return (
    <div className="server-said">
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        <VisibleTokens text={text} />
        <PreviewEnd onSeen={onSeen} />
      </pre>
    </div>
  )
}
