import type { ToolItem } from '../../../../shared/model/transcript-item'
import { shortPath } from '../../../state/folder-name'
import { useAppInfo } from '../../../state/settings-query'

/** What the button that tells it says; undefined when there is nothing to tell. */
export function judgedQuestion({ judged, approval }: ToolItem): string | undefined {
  if (judged) return judged.decision === 'allow' ? 'Why was this allowed?' : 'Why was this denied?'
  return approval?.reason === undefined ? undefined : 'Why was I not asked?'
}

/** Why a call ran, or did not, without anybody having been asked: the reason as it was recorded, with the rule and where it stands. */
export function WhyJudged({ item }: { item: ToolItem }) {
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
