import { useId, useState, type FormEvent } from 'react'
import type { PlaceQuestion as Question } from '../../../shared/model/place'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/form/field'

interface PlaceQuestionProps {
  placeId: string
  question: Question
  onAnswer: (answer: string | null) => void
}

/** What ssh asks: a password, a passphrase, or whether a host key is right. The answer is passed on and never stored. */
export function PlaceQuestion({ placeId, question, onAnswer }: PlaceQuestionProps) {
  const [answer, setAnswer] = useState('')
  const formId = useId()
  const isConfirm = question.kind === 'confirm'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onAnswer(isConfirm ? 'yes' : answer)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onAnswer(null)}
      title={isConfirm ? `Is this ${placeId}?` : `ssh asks for ${placeId}`}
      description={
        isConfirm
          ? 'Compare the fingerprint with what the machine’s owner tells you before you accept it.'
          : 'The answer goes to ssh and is not stored.'
      }
      footer={
        <>
          <Button variant="quiet" onClick={() => onAnswer(null)}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={formId} disabled={!isConfirm && answer === ''}>
            {isConfirm ? 'Accept this key' : 'Continue'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit}>
        <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap text-ink-2">{question.text}</p>
        {!isConfirm && (
          <TextField
            label={question.kind === 'secret' ? 'Password or passphrase' : 'Answer'}
            type={question.kind === 'secret' ? 'password' : 'text'}
            autoFocus
            className="mt-3"
            value={answer}
            onChange={(event) => setAnswer(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
