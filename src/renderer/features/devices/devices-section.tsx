import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Smartphone } from 'lucide-react'
import { useState, useEffect, useMemo } from 'react'
import {
  PAIRING_LIMITS,
  type DeviceAddress,
  type PairedDevice,
  type DeviceAccess,
  type PairingCode,
} from '../../../shared/model/place/paired-device'
import { failureFrom } from '../../client/failure-from'
import { formatDate } from '../../../shared/language/speak'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useAppInfo, useClient, useQueries } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { CopyButton } from '../../ui/content/copy-button'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { encode } from 'uqr'
import { Dialog } from '../../ui/overlay/dialog'
import { RadioList } from '../../ui/form/choice-fields'
import { LoadError } from '../../ui/load-error'

/** How often the list is refetched while it is shown, in ms: no event reports new or removed devices. */
const REFRESH_MS = 3000

/** Phones and other computers that use this Trestle, and a dialog to add one. */
export function DevicesSection() {
  const queries = useQueries()
  const { data: info } = useAppInfo()
  const query = useQuery(queries.device.list.queryOptions({ refetchInterval: REFRESH_MS, retry: false }))
  const { data, error } = query
  const [pairing, setPairing] = useState(false)
  // On a paired device, the list is read-only.
  const isComputer = info !== undefined && info.access === undefined
  return (
    <section aria-labelledby="settings-devices">
      <SectionHead
        id="settings-devices"
        title="Devices"
        text="Phones and other computers that use this Trestle over your network: to approve, answer, steer and stop."
      >
        {isComputer && (
          <Button icon={<Plus aria-hidden />} onClick={() => setPairing(true)}>
            Pair a device
          </Button>
        )}
      </SectionHead>
      {error ? (
        <LoadError query={query} />
      ) : !data ? (
        <Skeleton className="h-24 w-full rounded-lg" />
      ) : (
        <div className="space-y-4">
          <Address address={data.address} />
          {data.devices.length === 0 ? (
            <EmptyState
              icon={<Smartphone aria-hidden />}
              title="No devices yet"
              className="rounded-lg border border-dashed border-line-strong"
            >
              Pair a phone with a code that works once. You can sign it out here at any time.
            </EmptyState>
          ) : (
            <ul aria-label="Devices" className="overflow-hidden rounded-lg border border-line bg-raised">
              {data.devices.map((device) => (
                <DeviceRow key={device.deviceId} device={device} canRevoke={isComputer} />
              ))}
            </ul>
          )}
        </div>
      )}
      {pairing && (
        <PairDialog address={data?.address} onClose={() => setPairing(false)} devices={data?.devices ?? []} />
      )}
    </section>
  )
}

/** Where devices connect, or how to enable that. */
function Address({ address }: { address: DeviceAddress | undefined }) {
  if (!address)
    return (
      <p className="text-ui text-ink-2">
        Trestle isn’t listening for devices. Run{' '}
        <code className="whitespace-nowrap">trestle serve --listen 0.0.0.0</code>
        <CopyButton text="trestle serve --listen 0.0.0.0" label="Copy the command" /> on this computer, or set{' '}
        <code>listen</code> under <code>[devices]</code> in config.toml.
      </p>
    )
  const [url = ''] = address.urls
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small">
      <dt className="text-ink-3">Address</dt>
      <dd className="font-mono wrap-anywhere">{url}</dd>
      {address.tailscale && (
        <>
          <dt className="text-ink-3">Tailscale</dt>
          <dd className="wrap-anywhere">
            <code>{address.tailscale.command}</code>
            <CopyButton text={address.tailscale.command} label="Copy the command" />
          </dd>
        </>
      )}
      <dt className="text-ink-3">Certificate</dt>
      <dd className="font-mono wrap-anywhere">
        <span className="sr-only">SHA-256 </span>
        {address.fingerprint}
      </dd>
    </dl>
  )
}

function DeviceRow({ device, canRevoke }: { device: PairedDevice; canRevoke: boolean }) {
  const { deviceId, name, access, pairedAt, seenAt, address } = device
  const client = useClient()
  const queryClient = useQueryClient()
  const [asks, setAsks] = useState(false)
  const revoke = useMutation({
    mutationFn: () => client.device.revoke({ deviceId }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['device']] }),
  })
  const now = useNowEachMinute()
  const details = [
    seenAt === undefined ? 'not seen yet' : `last seen ${relativeTime(seenAt, now)}`,
    ...(address === undefined ? [] : [address]),
    `paired ${relativeTime(pairedAt, now)}`,
  ]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          <Badge tone={access === 'full' ? 'wait' : 'plain'}>{access === 'full' ? 'Full access' : 'Read-only'}</Badge>
        </p>
        <p className="text-small wrap-anywhere text-ink-3">{details.join(' · ')}</p>
      </div>
      {canRevoke && (
        <Button
          size="small"
          variant="danger"
          busy={revoke.isPending}
          aria-label={`Revoke ${name}`}
          onClick={() => setAsks(true)}
        >
          Revoke
        </Button>
      )}
      {revoke.error && <ErrorNote failure={failureFrom(revoke.error)} className="w-full" />}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={`Revoke ${name}?`}
        action="Revoke"
        onConfirm={() => revoke.mutate()}
      >
        It is signed out immediately. To use it again, pair it again.
      </ConfirmDialog>
    </li>
  )
}

const ACCESS = [
  {
    value: 'full',
    label: 'Full access',
    description: 'Can approve, answer, steer, stop, and use files and terminals, as if at the computer.',
  },
  {
    value: 'read',
    label: 'Read-only',
    description: 'Can see sessions, requests and tasks, but cannot change anything.',
  },
] as const satisfies readonly { value: DeviceAccess; label: string; description: string }[]

interface PairDialogProps {
  address: DeviceAddress | undefined
  /** The current devices: a new one means that the code was used. */
  devices: readonly PairedDevice[]
  onClose: () => void
}

/** Chooses what the device may do, and shows its code. The code is withdrawn when the dialog is closed. */
function PairDialog({ address, devices, onClose }: PairDialogProps) {
  const client = useClient()
  const [access, setAccess] = useState<DeviceAccess>('full')
  const [before] = useState(() => new Set(devices.map(({ deviceId }) => deviceId)))
  const pair = useMutation({ mutationFn: () => client.device.pair({ access }) })
  const paired = devices.find(({ deviceId }) => !before.has(deviceId))
  const code = pair.data
  const [expired, setExpired] = useState<PairingCode>()
  const isExpired = code !== undefined && code === expired
  const isWaiting = code !== undefined && paired === undefined && !isExpired
  useEffect(() => {
    if (!code) return undefined
    // The clock of the engine's computer may differ from this one's.
    const timer = setTimeout(() => setExpired(code), PAIRING_LIMITS.codeMs)
    return () => clearTimeout(timer)
  }, [code])
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
        paired ? undefined : 'The device gets its own key. It appears in the list, where you can revoke it at any time.'
      }
      footer={
        isWaiting || paired ? (
          <Button variant="primary" onClick={onClose}>
            {paired ? 'Done' : 'Close'}
          </Button>
        ) : (
          <>
            <Button variant="quiet" onClick={onClose}>
              Cancel
            </Button>
            <Button variant="primary" busy={pair.isPending} onClick={() => pair.mutate()}>
              {isExpired ? 'Show a new code' : 'Show code'}
            </Button>
          </>
        )
      }
    >
      {paired ? (
        <p role="status">{paired.name} is paired.</p>
      ) : isExpired ? (
        <p role="status">The code has expired. It was not used.</p>
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
  const until = formatDate(code.expiresAt, { timeStyle: 'short' })
  return (
    <div className="space-y-3">
      <p role="status" className="text-center">
        <span className="sr-only">Code: </span>
        <span className="font-mono text-[28px] tracking-[0.08em]">{code.code}</span>
        <span className="block text-small text-ink-3">Works once, until {until}</span>
      </p>
      {link === undefined || !address ? (
        <p className="text-ui text-ink-2">
          Trestle isn’t listening for devices yet. Run <code>trestle serve --listen 0.0.0.0</code>, then open the
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
