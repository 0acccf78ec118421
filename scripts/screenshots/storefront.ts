/** A small web shop with a flaky test, in a home folder. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FILES: Record<string, string> = {
  'code/storefront/README.md': '# Storefront\n\nThe web shop: catalogue, cart, checkout.\n',
  'code/storefront/package.json':
    '{\n  "name": "storefront",\n  "private": true,\n  "scripts": { "dev": "vite", "test": "vitest run" }\n}\n',
  'code/storefront/AGENTS.md':
    '# Working here\n\n- Prices are integer cents.\n- Tests wait for conditions, never for time.\n',
  'code/storefront/src/checkout/use-totals.ts': `import { useDebounced } from '../net/use-debounced'
import { priceOf } from '../net/price-of'
import type { Cart, Totals } from './cart'

/** What the summary shows before the first answer has come. */
const NOTHING: Totals = { items: 0, shipping: 0, total: 0 }

/** The totals of a cart, as the server sees them. */
export function useTotals(cart: Cart) {
  const request = useDebounced(() => priceOf(cart), 250)
  return { totals: request.data ?? NOTHING }
}
`,
  'code/storefront/src/checkout/summary.tsx': `import { useTotals } from './use-totals'
import type { Cart } from './cart'

export function Summary({ cart }: { cart: Cart }) {
  const { totals } = useTotals(cart)
  return <output aria-label="Total">{totals.total}</output>
}
`,
  'code/storefront/src/checkout/pay-button.tsx': `export function PayButton({ onPay }: { onPay: () => void }) {
  // The total may still be on its way; see useTotals.
  const delay = setTimeout(onPay, 0)
  return <button onClick={() => clearTimeout(delay)}>Pay</button>
}
`,
  'code/storefront/src/net/use-debounced.ts':
    'export declare function useDebounced<T>(ask: () => Promise<T>, ms: number): { data?: T; pending: boolean }\n',
  'code/storefront/test/checkout.test.tsx': `import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Checkout } from '../src/checkout/checkout'
import { cartOf } from './carts'

test('the summary shows the discounted total', async () => {
  render(<Checkout cart={cartOf('3 mugs', 'MUGS10')} />)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(screen.getByLabelText('Total')).toHaveTextContent('24.30')
})

test('shipping is free above 50', async () => {
  render(<Checkout cart={cartOf('6 mugs')} />)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(screen.getByLabelText('Total')).toHaveTextContent('54.00')
})
`,
  'code/infra/README.md': '# Infra\n',
  'code/infra/keys/rotate.sh': '#!/bin/sh\n# Makes a new signing key and tells the services.\n',
}

/** The output of the commands in the conversations, so that no test runner is needed. */
const NPX = `#!/bin/sh
case "$*" in
*--repeat*)
  sleep 2
  printf '\\033[1m RUN \\033[0m v4.1.2 ~/code/storefront\\n\\n'
  printf ' \\033[31m❯\\033[0m test/checkout.test.tsx (40 tests | \\033[31m8 failed\\033[0m)\\n'
  printf '   \\033[31m×\\033[0m the summary shows the discounted total (run 4)\\n'
  printf '     Expected: 24.30\\n     Received: 0.00\\n\\n'
  printf ' Test Files  \\033[31m1 failed\\033[0m (1)\\n      Tests  \\033[31m8 failed\\033[0m | 32 passed (40)\\n'
  exit 1 ;;
*)
  printf 'Checking src/money.ts\\nChecking src/checkout/summary.tsx\\nChecking src/catalogue/price-tag.tsx\\n'
  exec sleep 600 ;;
esac
`

/** Fills a home folder: two projects, and a `bin` with the programs that the commands call. */
export function fillHome(home: string): void {
  for (const [path, text] of Object.entries(FILES)) put(join(home, path), text)
  put(join(home, 'bin', 'npx'), NPX)
  chmodSync(join(home, 'bin', 'npx'), 0o755)
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
