import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { DeviceAddress, PairedDevice } from '../../../shared/model/paired-device'
import { failureFrom } from '../../client/failure-from'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useAppInfo, useClient, useQueries } from '../../state/page/queries'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { CopyButton } from '../../ui/content/copy-button'
import { SectionHead } from '../../ui/form/settings-controls'
import { Skeleton } from '../../ui/loading'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { PairDialog } from './pair-dialog'

/** How often the list is read again while it is shown, in ms: devices come and go without telling this page. */
const REFRESH_MS = 3000

/** Phones and other computers that use this Trestle, and how they are added. */
export function DevicesSection() {
  const queries = useQueries()
  const { data: info } = useAppInfo()
  const { data, error } = useQuery(queries.device.list.queryOptions({ refetchInterval: REFRESH_MS, retry: false }))
  const [pairing, setPairing] = useState(false)
  // On a device, the list can only be read.
  const isComputer = info !== undefined && info.access === undefined
  return (
    <section aria-labelledby="settings-devices">
      <SectionHead
        id="settings-devices"
        title="Devices"
        text="Phones and other computers that use this Trestle over your network: to approve, answer, steer and stop."
      >
        {isComputer && (
          <Button size="small" icon={<Plus aria-hidden />} onClick={() => setPairing(true)}>
            Pair a device
          </Button>
        )}
      </SectionHead>
      {error ? (
        <ErrorNote failure={failureFrom(error)} />
      ) : !data ? (
        <Skeleton className="h-24 w-full rounded-lg" />
      ) : (
        <div className="space-y-4">
          <Address address={data.address} />
          {data.devices.length === 0 ? (
            <EmptyState icon={<Smartphone aria-hidden />} title="No devices yet">
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

/** Where devices connect, or how to let them. */
function Address({ address }: { address: DeviceAddress | undefined }) {
  if (!address)
    return (
      <p className="text-ui text-ink-2">
        Trestle does not listen for devices. Run <code>trestle serve --listen 0.0.0.0</code>
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
        It is signed out at once. To use it again, pair it again.
      </ConfirmDialog>
    </li>
  )
}
