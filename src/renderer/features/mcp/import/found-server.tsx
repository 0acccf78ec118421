import { useId } from 'react'
import type { McpImportServer } from '../../../../shared/model/mcp-import'
import { Badge, type Tone } from '../../../ui/badge'
import { SelectField } from '../../../ui/select-field'
import { TextField } from '../../../ui/text-field'
import type { Pick } from './import-picks'

const STATES: Record<McpImportServer['state'], { tone: Tone; word: string } | undefined> = {
  new: undefined,
  same: { tone: 'plain', word: 'you have it already' },
  clash: { tone: 'wait', word: 'you have another of this name' },
  unusable: { tone: 'fail', word: 'cannot be used' },
}

interface FoundServerProps {
  server: McpImportServer
  pick: Pick
  onChange: (pick: Pick) => void
}

/** One server that could be taken over: what it would do, and what has to be decided about it. */
export function FoundServer({ server, pick, onChange }: FoundServerProps) {
  const id = useId()
  const { name, lines, notes, state, inputs, freeName } = server
  const mark = STATES[state]
  return (
    <li className="border-t border-line px-3 py-2 first:border-t-0">
      <div className="flex items-start gap-2.5">
        <input
          id={id}
          type="checkbox"
          checked={pick.chosen}
          disabled={state === 'unusable'}
          onChange={(event) => onChange({ ...pick, chosen: event.target.checked })}
          className="mt-[4px] size-[14px] flex-none accent-ink"
        />
        <div className="min-w-0 flex-1">
          <label htmlFor={id} className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{name}</span>
            {mark && <Badge tone={mark.tone}>{mark.word}</Badge>}
          </label>
          {lines.map((line, index) => (
            <p key={index} className="font-mono text-tiny wrap-anywhere text-ink-2">
              {line}
            </p>
          ))}
          {notes.map((note, index) => (
            <p key={index} className="text-small wrap-anywhere text-wait-ink">
              {note}
            </p>
          ))}
          {pick.chosen && state !== 'new' && (
            <div className="mt-2 flex flex-wrap gap-2.5">
              <SelectField
                label="Name conflict"
                className="min-w-[200px] flex-1"
                value={pick.replace ? 'replace' : 'keep'}
                onChange={({ target: { value } }) =>
                  onChange({ ...pick, replace: value === 'replace', name: value === 'replace' ? name : freeName })
                }
              >
                <option value="keep">Keep both</option>
                <option value="replace">Replace</option>
              </SelectField>
              {!pick.replace && (
                <TextField
                  label="Name"
                  mono
                  className="min-w-[140px] flex-1"
                  value={pick.name}
                  onChange={(event) => onChange({ ...pick, name: event.target.value })}
                />
              )}
            </div>
          )}
          {pick.chosen && inputs.length > 0 && (
            <div className="mt-2 space-y-2">
              {inputs.map((input) => (
                <TextField
                  key={input.id}
                  label={input.label}
                  mono
                  type={input.isSecret ? 'password' : 'text'}
                  autoComplete={input.isSecret ? 'new-password' : 'off'}
                  value={pick.values[input.id] ?? ''}
                  {...(input.fallback !== undefined && { placeholder: input.fallback })}
                  hint={input.variable === undefined ? undefined : `Default: the environment variable ${input.variable}`}
                  onChange={(event) => onChange({ ...pick, values: { ...pick.values, [input.id]: event.target.value } })}
                />
              ))}
            </div>
          )}
        </div>
      </div>
    </li>
  )
}
