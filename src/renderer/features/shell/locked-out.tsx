import { Unplug } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Failure } from '../../../shared/errors'
import { enterWithToken, onTokenElsewhere, pastedToken } from '../../client/page-token'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/notice'
import { TextField } from '../../ui/form/field'
import { onDemand } from '../../ui/on-demand'

const PairForm = onDemand(() => import('./pair-form').then((module) => module.PairForm))

/** The whole page when the engine refuses it. Only the address for devices is served over TLS. */
export function LockedOut({ failure }: { failure: Failure }) {
  return location.protocol === 'https:' ? <PairForm /> : <TokenForm failure={failure} />
}

/** The page when the engine refuses it: instructions and a field for the token. */
function TokenForm({ failure }: { failure: Failure }) {
  const [pasted, setPasted] = useState('')
  const [wrong, setWrong] = useState(false)
  // Another tab of this browser was accepted, so this one retries.
  useEffect(() => onTokenElsewhere(() => location.reload()), [])
  return (
    <main className="grid h-full place-content-center">
      <div role="alert">
        <EmptyState icon={<Unplug aria-hidden />} title={failure.title} isPage className="pb-4">
          {failure.advice}
        </EmptyState>
      </div>
      <form
        className="flex w-[min(420px,calc(100vw-48px))] flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          const token = pastedToken(pasted)
          if (token === undefined) setWrong(true)
          else enterWithToken(token)
        }}
      >
        <TextField
          label="URL or token"
          mono
          autoFocus
          placeholder="http://127.0.0.1:…/#token=…"
          value={pasted}
          error={wrong ? 'No token found. Copy the whole URL from the terminal where Trestle runs.' : undefined}
          hint="The terminal where Trestle runs shows it. It is also in the file web-token in the Trestle home folder."
          onChange={(event) => {
            setPasted(event.target.value)
            setWrong(false)
          }}
        />
        <Button type="submit" variant="primary" className="self-start" disabled={pasted.trim() === ''}>
          Open Trestle
        </Button>
      </form>
    </main>
  )
}
