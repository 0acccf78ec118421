import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'
import type { DeviceAccess, DeviceAddress, PairedDevice, PairingCode } from '../../../shared/model/paired-device'
import { failureFrom } from '../../client/failure-from'
import { useClient } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/content/copy-button'
import { Dialog } from '../../ui/dialog'
import { RadioList } from '../../ui/form/choice-fields'
import { ErrorNote } from '../../ui/notice'

const ACCESS = [
  {
    value: 'full',
    label: 'Full access',
    description:
      'Everything in sessions: approve, answer, steer, stop, files, terminals. Like sitting at the computer.',
  },
  { value: 'read', label: 'Read-only', description: 'See sessions, requests and tasks, and change nothing.' },
] as const satisfies readonly { value: DeviceAccess; label: string; description: string }[]

interface PairDialogProps {
  address: DeviceAddress | undefined
  /** The devices now: a new one means that the code was used. */
  devices: readonly PairedDevice[]
  onClose: () => void
}

/** Chooses what the device may do, and shows its code. The code is withdrawn when the dialog is closed. */
export function PairDialog({ address, devices, onClose }: PairDialogProps) {
  const client = useClient()
  const [access, setAccess] = useState<DeviceAccess>('full')
  const [before] = useState(() => new Set(devices.map(({ deviceId }) => deviceId)))
  const pair = useMutation({ mutationFn: () => client.device.pair({ access }) })
  const paired = devices.find(({ deviceId }) => !before.has(deviceId))
  const code = pair.data
  const isWaiting = code !== undefined && paired === undefined
  useEffect(() => {
    if (!isWaiting) return undefined
    return () => void client.device.cancelPairing().catch(() => undefined)
  }, [client, isWaiting])
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Pair a device"
      description={
        paired ? undefined : 'The device gets a key of its own. You see it in the list and can revoke it at any time.'
      }
      footer={
        code || paired ? (
          <Button variant="primary" onClick={onClose}>
            {paired ? 'Done' : 'Close'}
          </Button>
        ) : (
          <>
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button variant="primary" busy={pair.isPending} onClick={() => pair.mutate()}>
              Show code
            </Button>
          </>
        )
      }
    >
      {paired ? (
        <p role="status">{paired.name} is paired.</p>
      ) : code ? (
        <Code code={code} address={address} />
      ) : (
        <>
          <RadioList label="Access" value={access} options={ACCESS} onChange={setAccess} />
          {pair.error && <ErrorNote failure={failureFrom(pair.error)} className="mt-3" />}
        </>
      )}
    </Dialog>
  )
}

function Code({ code, address }: { code: PairingCode; address: DeviceAddress | undefined }) {
  const [link] = code.links
  const until = new Date(code.expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return (
    <div className="space-y-3">
      <p role="status" className="text-center">
        <span className="sr-only">Code: </span>
        <span className="font-mono text-[28px] tracking-[0.08em]">{code.code}</span>
        <span className="block text-small text-ink-3">Works once, until {until}</span>
      </p>
      {link === undefined || !address ? (
        <p className="text-ui text-ink-2">
          Trestle does not listen for devices yet. Run <code>trestle serve --listen 0.0.0.0</code>, then open the
          address it prints on the device and type the code.
        </p>
      ) : (
        <>
          <p className="text-ui text-ink-2">
            Scan this with the device’s camera, open the link on it, or open {address.urls[0]} and type the code:
          </p>
          <QrCode text={link} />
          <p className="flex items-center gap-1 rounded-md bg-sunken px-2.5 py-1.5">
            <code className="min-w-0 flex-1 wrap-anywhere">{link}</code>
            <CopyButton text={link} label="Copy the link" />
          </p>
          {address.isOwnCertificate && !address.tailscale && (
            <p className="text-small text-ink-3">
              The browser warns about the certificate, which is Trestle’s own. Before you continue, compare its SHA-256
              fingerprint: <code className="block wrap-anywhere">{address.fingerprint}</code>
            </p>
          )}
        </>
      )}
    </div>
  )
}

/** Black on white in both themes, with the margin that readers need. */
function QrCode({ text }: { text: string }) {
  const { size, data } = useMemo(() => encode(text, { border: 4 }), [text])
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg
      role="img"
      aria-label="QR code of the link"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto block size-[220px] rounded-md"
    >
      <rect width={size} height={size} fill="#fff" />
      <path fill="#000" d={dots.join('')} />
    </svg>
  )
}
