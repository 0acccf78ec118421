import { Skeleton } from './skeleton'

/** Stands in for a view of the main area while its code is on its way. */
export function ViewSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="mx-auto flex w-full max-w-[748px] flex-1 flex-col gap-4 px-6 pt-8">
      <Skeleton className="h-6 w-2/5" />
      <Skeleton className="w-5/6" />
      <Skeleton className="w-4/6" />
      <Skeleton className="w-3/6" />
    </div>
  )
}
