import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useQueries, useSettingsChange } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { RadioList } from '../../ui/form/choice-fields'
import { SectionHead } from '../../ui/form/settings-controls'

const AUTOMATIC = ''
const OTHER = 'other'

/** Which editor opens files; nothing where this host has none to open. */
export function EditorPart() {
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: openers } = useQuery(queries.file.openers.queryOptions({ staleTime: 0 }))
  const save = useSettingsChange((api, command: string) => api.setEditor({ command }))
  const [isOther, setOther] = useState(false)
  if (!openers?.reveals) return null
  const { editors, chosen = AUTOMATIC, editor } = openers
  const isListed = chosen === AUTOMATIC || editors.some(({ command }) => command === chosen)
  const set = (command: string): void =>
    save.mutate(command, {
      onError: showFailureToast,
      onSuccess: () => void queryClient.invalidateQueries({ queryKey: queries.file.openers.key() }),
    })
  const shows = isOther || !isListed
  return (
    <section aria-labelledby="settings-editor">
      <SectionHead
        id="settings-editor"
        title="Editor"
        text="Opens files on Ctrl-click, at their line. Editors that were found on this machine are listed."
      />
      <RadioList
        label="Editor for files"
        value={shows ? OTHER : save.isPending ? save.variables : chosen}
        onChange={(value) => {
          setOther(value === OTHER)
          if (value !== OTHER) set(value)
        }}
        options={[
          {
            value: AUTOMATIC,
            label: 'Automatic',
            description:
              chosen === AUTOMATIC && editor !== undefined ? `Now ${editor}` : '$VISUAL or $EDITOR, or the first found',
          },
          ...editors.map(({ command, name }) => ({ value: command, label: name, description: command })),
          { value: OTHER, label: 'Another command', description: 'A program on the PATH, or its whole path' },
        ]}
      />
      {shows && <CommandField key={chosen} start={isListed ? '' : chosen} onSave={set} />}
    </section>
  )
}

function CommandField({ start, onSave }: { start: string; onSave: (command: string) => void }) {
  const [command, setCommand] = useState(start)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (command.trim() !== '') onSave(command.trim())
  }
  return (
    <form className="mt-2 flex gap-2" onSubmit={submit}>
      <input
        type="text"
        value={command}
        aria-label="Command of the editor"
        placeholder="zed"
        spellCheck={false}
        maxLength={500}
        className="h-[29px] min-w-0 flex-1 rounded-md border border-line-strong bg-raised px-2 font-mono text-ui"
        onChange={(event) => setCommand(event.target.value)}
      />
      <Button type="submit" disabled={command.trim() === '' || command.trim() === start}>
        Use
      </Button>
    </form>
  )
}
