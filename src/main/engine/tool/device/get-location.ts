import { z } from 'zod'
import { errorText } from '../../../../shared/error-text'
import { lazySchema } from '../../../../shared/lazy-schema'
import { failed, ok, refuse, type Tool } from '../tool'
import { DEVICE_TOOL, type DeviceServices } from './device-services'
import description from './get-location.md?raw'

const input = lazySchema(() => z.strictObject({}))

/**
 * Estimates the user's location from the IP address, using the service from the settings. It asks each time
 * (approval/policies/boundaries.ts).
 */
export function getLocationTool({
  locate,
  locationHost,
}: Pick<DeviceServices, 'locate' | 'locationHost'>): Tool<typeof input> {
  return {
    ...DEVICE_TOOL,
    name: 'GetLocation',
    description,
    input,
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    async prepare() {
      const host = locationHost()
      if (host === undefined)
        return refuse(
          'No location service is configured. Tell the user to set service in [location] of config.toml, ' +
            'for example "https://ipinfo.io/json", or ask them where they are.',
        )
      return {
        summary: `with ${host}`,
        accesses: [{ kind: 'network', host }],
        preview: async () => ({
          kind: 'text',
          text:
            `${host} sees your IP address and answers where that is. ` +
            'The agent gets the city, region, country, coordinates and time zone, not the address.',
        }),
        run: ({ signal }) =>
          locate(signal).then(ok, (error: unknown) => {
            signal.throwIfAborted()
            return failed(errorText(error))
          }),
      }
    },
  }
}
