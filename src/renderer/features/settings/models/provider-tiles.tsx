import { Plus } from 'lucide-react'
import { PROVIDER_TILES, type ProviderTile } from '../../../../shared/configuration/provider-types'

interface ProviderTilesProps {
  /** Names of providers that are connected. */
  connected: readonly string[]
  onChoose: (tile: ProviderTile | 'other') => void
}

const TILE =
  'flex min-h-[52px] w-full items-center gap-2.5 rounded-lg border ' +
  'border-line bg-raised px-3 py-2 text-left hover:border-line-strong'

/** The catalog of providers. */
export function ProviderTiles({ connected, onChoose }: ProviderTilesProps) {
  return (
    <ul aria-label="Providers" className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-2">
      {PROVIDER_TILES.map((tile) => (
        <li key={tile.id}>
          <button type="button" className={TILE} onClick={() => onChoose(tile)}>
            <Letters tile={tile} />
            <span className="min-w-0">
              <span className="block truncate text-ui">{tile.name}</span>
              <span className="block text-small text-ink-3">
                {connected.includes(tile.id) ? 'connected' : tile.local ? 'on this computer' : 'API key'}
              </span>
            </span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" className={TILE} onClick={() => onChoose('other')}>
          <span
            aria-hidden
            className="flex size-[26px] flex-none items-center justify-center rounded-[6px] bg-sunken text-ink-2"
          >
            <Plus className="size-[14px]" />
          </span>
          <span className="min-w-0">
            <span className="block truncate text-ui">Other provider</span>
            <span className="block text-small text-ink-3">any compatible address</span>
          </span>
        </button>
      </li>
    </ul>
  )
}

/** The initials of a provider, in its color. */
export function Letters({ tile: { letters, hue } }: { tile: Pick<ProviderTile, 'letters' | 'hue'> }) {
  return (
    <span
      aria-hidden
      style={{
        backgroundColor: `color-mix(in oklch, oklch(0.6 0.13 ${hue}) 16%, var(--sunken))`,
        color: `color-mix(in oklch, oklch(0.6 0.13 ${hue}) 35%, var(--ink))`,
      }}
      className="flex size-[26px] flex-none items-center justify-center rounded-[6px] text-small font-semibold"
    >
      {letters}
    </span>
  )
}
