import type { ReactNode } from 'react'
import type { CallArgument } from '../../../shared/model/preview'
import './argument-list.css'
import { VisibleTokens } from './visible-tokens'

interface ArgumentListProps {
  arguments: readonly CallArgument[]
  /** So many characters are not shown. */
  left?: number | undefined
  /** Put behind the last of them. */
  end?: ReactNode
}

/** What a tool is called with, to be read by people: a name and its value, one under the other. */
export function ArgumentList({ arguments: values, left, end }: ArgumentListProps) {
  if (values.length === 0) {
    return (
      <p className="argument-note">
        Called without arguments.
        {end}
      </p>
    )
  }
  return (
    <div className="arguments" tabIndex={0} role="group" aria-label="Arguments">
      <dl>
        {values.map(({ name, text }) => (
          <div key={name}>
            <dt>
              <VisibleTokens text={name} />
            </dt>
            <dd>{text === '' ? <span className="text-ink-3">(empty)</span> : <VisibleTokens text={text} />}</dd>
          </div>
        ))}
      </dl>
      {left !== undefined && <p className="argument-note">{left.toLocaleString()} more characters are not shown.</p>}
      {end}
    </div>
  )
}
