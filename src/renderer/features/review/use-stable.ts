import { useEffect, useRef, useState } from 'react'

/** Functions with a stable identity that call those of the latest render. */
export function useStable<Functions extends Record<string, (...given: never[]) => unknown>>(
  functions: Functions,
): Functions {
  const latest = useRef(functions)
  useEffect(() => {
    latest.current = functions
  })
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(functions).map((name) => [name, (...given: never[]) => latest.current[name]!(...given)]),
      ) as Functions,
  )
  return stable
}
