import { EditorState, Compartment } from '@codemirror/state'
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  LanguageDescription,
  syntaxHighlighting,
} from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'

interface EditFieldProps {
  /** The initial text; afterwards the editor has the text. */
  text: string
  path: string
  line: number
  /** For screen readers; default: the path. */
  label?: string
  className: string
  onChange: (text: string) => void
  /** Undefined: Tab leaves the text. */
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
    // The editor is created once, and again when its tab is shown again; a new text gets a new field.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return <div ref={parent} className={className} />
}

/** The app's code colors, by the colors of the editor's default style that they replace. */
const COLORS: Readonly<Record<string, string>> = {
  '#708': 'keyword',
  '#219': 'constant',
  '#164': 'constant',
  '#a11': 'string',
  '#e40': 'string',
  '#00f': 'function',
  '#30a': 'function',
  '#00c': 'function',
  '#256': 'function',
  '#085': 'function',
  '#167': 'function',
  '#940': 'comment',
}

const colors = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) => {
    const name = typeof color === 'string' ? COLORS[color] : undefined
    return { ...spec, ...(name !== undefined && { color: `var(--code-${name})` }) }
  }),
)

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--paper)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--sunken) 60%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--run) 28%, transparent)',
  },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'color-mix(in oklab, var(--wait) 30%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '5px',
  },
})

export interface CodeEditorOptions {
  parent: HTMLElement
  text: string
  /** The file: its name selects the language. */
  path: string
  /** The line to start at. */
  line: number
  /** For screen readers; default: the path, and how to leave the text. */
  label?: string | undefined
  onChange: (text: string) => void
  /** Undefined: nothing can be saved, and Tab leaves the text instead of indenting it. */
  onSave?: (() => void) | undefined
  /** Where an earlier editor of the same text left off: its text, selection and undo history. */
  state?: EditorState | undefined
}

/** Creates an editor for code. Its language is loaded afterwards. */
export function createCodeEditor({ parent, state, ...options }: CodeEditorOptions): EditorView {
  // An editor that is shown again does not take the focus.
  if (state) return new EditorView({ parent, state })
  const { text, path, line, label, onChange, onSave } = options
  const language = new Compartment()
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        // Carriage returns that end no line stay characters of their line.
        EditorState.lineSeparator.of('\n'),
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        highlightSelectionMatches(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        search({ top: true }),
        syntaxHighlighting(colors),
        theme,
        language.of([]),
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': label ?? `Edit ${path}. Press Escape, then Tab to leave the text.`,
        }),
        keymap.of([
          ...(onSave
            ? [
                {
                  key: 'Mod-s',
                  preventDefault: true,
                  run: () => {
                    onSave()
                    return true
                  },
                },
                indentWithTab,
              ]
            : []),
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
  void loadLanguage(path).then(
    (support) => support && view.dispatch({ effects: language.reconfigure(support) }),
    // Without its language the text stays plain.
    () => undefined,
  )
  return view
}

async function loadLanguage(path: string) {
  const { languages } = await import('@codemirror/language-data')
  const name = path.split(/[\\/]/).at(-1) ?? path
  return LanguageDescription.matchFilename(languages, name)?.load()
}
