import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { createCodeEditor } from './code-editor'

interface EditFieldProps {
  /** At the beginning; later it is the editor's. */
  text: string
  path: string
  line: number
  /** For screen readers; absent: the path. */
  label?: string
  className: string
  onChange: (text: string) => void
  /** Absent: Tab leaves the text. */
  onSave?: () => void
}

/** A text field for code. */
export function EditField({ text, path, line, label, className, onChange, onSave }: EditFieldProps) {
  const parent = useRef<HTMLDivElement>(null)
  const calls = useRef({ onChange, onSave })
  const left = useRef<EditorState>(undefined)
  useLayoutEffect(() => {
    calls.current = { onChange, onSave }
  })
  useEffect(() => {
    if (!parent.current) return undefined
    const view: EditorView = createCodeEditor({
      parent: parent.current,
      text,
      path,
      line,
      label,
      state: left.current,
      onChange: (next) => calls.current.onChange(next),
      onSave: calls.current.onSave && (() => calls.current.onSave?.()),
    })
    return () => {
      left.current = view.state
      view.destroy()
    }
    // The editor is made once, and again when the tab it is in comes back in front; a new text comes with a new field.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return <div ref={parent} className={className} />
}
