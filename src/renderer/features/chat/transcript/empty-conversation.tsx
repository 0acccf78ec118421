import { Button } from '../../../ui/button'

const SUGGESTIONS = [
  'Give me a tour of this project',
  'Run the tests and tell me what fails',
  'Find a small bug and propose a fix',
  'What changed recently?',
]

interface EmptyConversationProps {
  /** What the agent of the session says to begin with. */
  greeting: string | undefined
  /** The model plays a script. */
  scripted: boolean
  onSuggest: (text: string) => void
}

/** A session in which nothing was said yet: a few ways to begin. They fill the composer; nothing is sent. */
export function EmptyConversation({ greeting, scripted, onSuggest }: EmptyConversationProps) {
  return (
    <div className="flex max-w-[460px] flex-col items-center gap-4 text-center">
      <div>
        <h2 className="text-lead font-semibold">What would you like to do?</h2>
        <p className="mt-1 text-ui text-ink-2">
          {scripted
            ? 'The demo follows a script, without an AI model. Whatever you type, it makes an edit, runs a command and keeps a to-do list in this folder, and asks before each change.'
            : greeting !== undefined
              ? greeting
              : 'The agent reads, edits and runs code in this folder. It asks before risky steps.'}
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        {SUGGESTIONS.map((text) => (
          <Button key={text} size="small" onClick={() => onSuggest(text)}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  )
}
