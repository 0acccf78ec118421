import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { SectionHead } from '../../ui/section-head'
import { TextField } from '../../ui/text-field'

interface SandboxListProps {
  id: string
  title: string
  text: string
  placeholder: string
  entry: { pattern: RegExp; must: string }
  entries: readonly string[]
  busy: boolean
  onChange: (entries: string[]) => void
}

/** A list of the sandbox settings: entries that can be removed, and a field for another. What is wrong with an entry is said under the field. */
export function SandboxList({ id, title, text, placeholder, entry, entries, busy, onChange }: SandboxListProps) {
  const [draft, setDraft] = useState('')
  const [error, setError] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const add = (): void => {
    const wanted = draft.trim()
    const problem = problemOf(wanted, entries, entry)
    setError(problem)
    if (problem !== undefined) return
    onChange([...entries, wanted])
    setDraft('')
  }
  const headId = `settings-sandbox-${id}`
  return (
    <section aria-labelledby={headId}>
      <SectionHead id={headId} title={title} text={text} />
      <div className="overflow-hidden rounded-lg border border-line bg-raised">
        {entries.length > 0 && (
          <ul aria-label={title}>
            {entries.map((each) => (
              <li key={each} className="flex items-center gap-2 border-b border-line py-1 pr-1.5 pl-3.5">
                <code className="min-w-0 flex-1 font-mono text-small wrap-anywhere">{each}</code>
                <IconButton
                  label={`Remove ${each}`}
                  disabled={busy}
                  onClick={() => {
                    onChange(entries.filter((other) => other !== each))
                    field.current?.focus()
                  }}
                >
                  <X aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        <form
          className="flex items-start gap-2 px-3.5 py-2.5"
          onSubmit={(event) => {
            event.preventDefault()
            if (!busy) add()
          }}
        >
          <TextField
            ref={field}
            label={`Add to ${title.toLowerCase()}`}
            hideLabel
            mono
            className="flex-1"
            placeholder={placeholder}
            value={draft}
            error={error}
            onChange={(event) => {
              setDraft(event.target.value)
              setError(undefined)
            }}
          />
          <Button type="submit" icon={<Plus aria-hidden />} className="h-[31px]" disabled={draft.trim() === ''} busy={busy}>
            Add
          </Button>
        </form>
      </div>
    </section>
  )
}

function problemOf(wanted: string, entries: readonly string[], { pattern, must }: SandboxListProps['entry']): string | undefined {
  if (wanted === '') return undefined
  if (!pattern.test(wanted)) return `Enter ${must}`
  return entries.includes(wanted) ? 'Already in the list' : undefined
}
