import { Fragment } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { groupsOf, type PaneNode, type PaneSplit } from '../../state/panes/pane-tree'
import { resizePanes } from '../../state/panes/panes-state'
import { cx } from '../../ui/cx'
import { PaneFrame, type PaneFrameCommon } from './pane-frame'
import { usePaneTitle } from './pane-title'

/** Smallest width and height of a pane, in px. */
const MIN_SIZE = { right: 220, down: 110 }

/** The groups of panes, side by side and one below the other. */
export function PaneTree({ node, ...common }: PaneFrameCommon & { node: PaneNode }) {
  return node.kind === 'group' ? (
    <PaneFrame key={node.id} {...common} group={node} isMaximized={false} />
  ) : (
    // Other parts need other sizes.
    <Split key={node.children.map(({ id }) => id).join(' ')} {...common} split={node} />
  )
}

function Split({ split, ...common }: PaneFrameCommon & { split: PaneSplit }) {
  const { children, direction, sizes } = split
  const known = children.every(({ id }) => sizes[id] !== undefined)
  return (
    <Group
      id={split.id}
      orientation={direction === 'right' ? 'horizontal' : 'vertical'}
      {...(known && { defaultLayout: sizes })}
      onLayoutChanged={(layout, { isUserInteraction, requestedLayout }) => {
        if (isUserInteraction) resizePanes(common.sessionId, split.id, requestedLayout ?? layout)
      }}
      className="min-h-0 min-w-0 flex-1"
    >
      {children.map((child, at) => (
        <Fragment key={child.id}>
          {at > 0 && <PaneSeparator before={children[at - 1]!} direction={direction} />}
          <Panel id={child.id} minSize={MIN_SIZE[direction]} className="flex min-h-0 min-w-0">
            <PaneTree {...common} node={child} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  )
}

/** The line between two parts: dragged, or moved with the arrow keys. */
function PaneSeparator({ before, direction }: { before: PaneNode; direction: PaneSplit['direction'] }) {
  const group = groupsOf(before).at(-1)
  const title = usePaneTitle(group?.tabs.find(({ kind }) => kind !== undefined))
  return (
    <Separator
      aria-label={direction === 'right' ? `Width of ${title}` : `Height of ${title}`}
      className={cx(
        'relative z-10 flex-none bg-line outline-none after:absolute hover:bg-line-strong focus-visible:bg-focus data-[separator=active]:bg-line-strong',
        direction === 'right'
          ? 'w-px cursor-col-resize after:inset-y-0 after:-right-[3px] after:-left-[3px] focus-visible:w-[3px]'
          : 'h-px cursor-row-resize after:inset-x-0 after:-top-[3px] after:-bottom-[3px] focus-visible:h-[3px]',
      )}
    />
  )
}
