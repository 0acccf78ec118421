import { sentence } from '../../../shared/error-text'
import { useMutation } from '@tanstack/react-query'
import { Smartphone } from 'lucide-react'
import { useEffect, useState } from 'react'
import { PAIRING_LIMITS, typedCode } from '../../../shared/model/place/paired-device'
import { failureFrom } from '../../client/failure-from'
import { enterWithToken, linkedPairingCode, onTokenElsewhere } from '../../client/page-token'
import { pairDevice, suggestedName } from '../../client/pair-device'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/field'
import { EmptyState } from '../../ui/notice'

/** The whole page on a phone or another computer that is not paired, or was signed out. */
export function PairForm() {
  const [code, setCode] = useState(linkedPairingCode)
  const [name, setName] = useState(() => suggestedName())
  const pair = useMutation({ mutationFn: () => pairDevice(code, name), onSuccess: (token) => enterWithToken(token) })
  const failure = pair.error ? failureFrom(pair.error) : undefined
  // Another tab of this browser was paired, so this one retries.
  useEffect(() => onTokenElsewhere(() => location.reload()), [])
  return (
    <main className="grid h-full place-content-center overflow-y-auto">
      <EmptyState icon={<Smartphone aria-hidden />} title="Pair this device" isPage className="pb-4">
        This device is not paired with this Trestle, or was signed out. Get a code on the computer: Settings, Devices,
        or <code>trestle device pair</code>.
      </EmptyState>
      <form
        className="flex w-[min(420px,calc(100vw-48px))] flex-col gap-3 justify-self-center"
        onSubmit={(event) => {
          event.preventDefault()
          pair.mutate()
        }}
      >
        <TextField
          label="Code"
          mono
          autoFocus={code === ''}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          placeholder="ABCD-EFGH"
          value={code}
          error={failure && `${sentence(failure.message)} ${failure.advice}`}
          onChange={(event) => {
            setCode(event.target.value)
            pair.reset()
          }}
        />
        <TextField
          label="Name of this device"
          hint="Shown in the list of devices, where you can revoke it."
          maxLength={PAIRING_LIMITS.nameChars}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          busy={pair.isPending}
          disabled={typedCode(code) === undefined}
        >
          Pair
        </Button>
      </form>
    </main>
  )
}
