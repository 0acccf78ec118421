import { ExternalLink, TriangleAlert } from 'lucide-react'
import type { Preview } from '../../../../shared/model/approval/preview'
import { useOpenLink } from '../../../state/use-open-link'
import { Button } from '../../../ui/button'
import { ErrorNote } from '../../../ui/notice'
import type { ApprovalCardProps } from '../approval-card'
import { optionKeys, useCardKeys, useAnswerGrace } from '../card-actions'
import { useReply } from '../use-reply'
import { ServerCard } from '../card-head'

interface LinkCardProps extends ApprovalCardProps {
  link: Extract<Preview, { kind: 'link' }>
}

/** A page that an MCP server asks to open: shows its host, and opens only when the user clicks. */
export function LinkCard(props: LinkCardProps) {
  const { link, approval, behind = 0, place = '', blocked } = props
  const { server, message, url, opened } = link
  const openLink = useOpenLink()
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const locked = sent || blocked !== undefined
  const { protocol, host, pathname, search, hash } = new URL(url)
  const act = (index: number): void => {
    const option = approval.options[index]
    if (!option || locked || !grace.isArmed) return
    if (option.optionId === 'open') openLink(url)
    send({ optionId: option.optionId })
  }
  const keys = optionKeys(approval.options)
  useCardKeys([...keys.values()], !locked, grace.since, (key) =>
    act(approval.options.findIndex(({ optionId }) => keys.get(optionId) === key)),
  )

  return (
    <ServerCard
      ref={card}
      label={opened ? `Waiting for you to finish on ${host}` : `${server} asks you to open a page: ${host}`}
      behind={behind}
      title={
        opened ? (
          <>
            Waiting for you to finish on <b>{host}</b>
          </>
        ) : (
          <>
            <b>{server}</b> asks you to open a page
          </>
        )
      }
    >
      <div className="approval-body">
        <div className="server-body">
          <p className="server-words">
            {opened ? (
              `${server} continues when you’re done there.`
            ) : (
              <>
                <span className="approval-says">{server} says:</span> <bdi>{message}</bdi>
              </>
            )}
          </p>
          <p className="server-url" tabIndex={0} role="group" aria-label="Address">
            {`${protocol}//`}
            <b>{host}</b>
            {pathname}
            {search}
            {hash}
          </p>
        </div>
        {warningOf(protocol, host).map((warning) => (
          <p key={warning} className="server-warning">
            <TriangleAlert aria-hidden /> {warning}
          </p>
        ))}
        {failure && <ErrorNote failure={failure} className="m-3" />}
      </div>
      <div className="approval-acts">
        {approval.options.map(({ optionId, kind, name }, index) => (
          <Button
            key={optionId}
            variant={kind === 'allow_once' ? 'primary' : optionId === 'cancel' ? 'quiet' : 'default'}
            {...(keys.has(optionId) && { kbd: keys.get(optionId)! })}
            {...(optionId === 'open' && { icon: <ExternalLink aria-hidden /> })}
            disabled={locked}
            aria-disabled={!grace.isArmed || undefined}
            className="max-w-full"
            onClick={() => act(index)}
          >
            <span className="truncate">{name}</span>
          </Button>
        ))}
        {opened && (
          <Button variant="quiet" icon={<ExternalLink aria-hidden />} disabled={locked} onClick={() => openLink(url)}>
            Open again
          </Button>
        )}
        {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
      </div>
    </ServerCard>
  )
}

function warningOf(protocol: string, host: string): string[] {
  return [
    ...(protocol === 'http:' && !/^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host)
      ? ['This page isn’t encrypted.']
      : []),
    ...(host.split('.').some((label) => label.startsWith('xn--'))
      ? ['This host name contains look-alike characters. Check that it’s the one you expect.']
      : []),
  ]
}
