// The one list of icon names. A name says what the icon means here, so that one meaning has one drawing.
import type { Component } from 'svelte';
import AppWindow from '@lucide/svelte/icons/app-window';
import Archive from '@lucide/svelte/icons/archive';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
import AtSign from '@lucide/svelte/icons/at-sign';
import Bell from '@lucide/svelte/icons/bell';
import Braces from '@lucide/svelte/icons/braces';
import Check from '@lucide/svelte/icons/check';
import ChevronDown from '@lucide/svelte/icons/chevron-down';
import ChevronLeft from '@lucide/svelte/icons/chevron-left';
import ChevronRight from '@lucide/svelte/icons/chevron-right';
import ChevronUp from '@lucide/svelte/icons/chevron-up';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark';
import CircleX from '@lucide/svelte/icons/circle-x';
import Clock from '@lucide/svelte/icons/clock';
import Code from '@lucide/svelte/icons/code';
import Columns2 from '@lucide/svelte/icons/columns-2';
import Copy from '@lucide/svelte/icons/copy';
import Cpu from '@lucide/svelte/icons/cpu';
import DiffIcon from '@lucide/svelte/icons/diff';
import Download from '@lucide/svelte/icons/download';
import Ellipsis from '@lucide/svelte/icons/ellipsis';
import ExternalLink from '@lucide/svelte/icons/external-link';
import File from '@lucide/svelte/icons/file';
import FilePlus from '@lucide/svelte/icons/file-plus';
import FileText from '@lucide/svelte/icons/file-text';
import Folder from '@lucide/svelte/icons/folder';
import FolderX from '@lucide/svelte/icons/folder-x';
import FoldVertical from '@lucide/svelte/icons/fold-vertical';
import Gauge from '@lucide/svelte/icons/gauge';
import GitBranch from '@lucide/svelte/icons/git-branch';
import GitFork from '@lucide/svelte/icons/git-fork';
import Globe from '@lucide/svelte/icons/globe';
import History from '@lucide/svelte/icons/history';
import Image from '@lucide/svelte/icons/image';
import Inbox from '@lucide/svelte/icons/inbox';
import Keyboard from '@lucide/svelte/icons/keyboard';
import KeyRound from '@lucide/svelte/icons/key-round';
import Layers from '@lucide/svelte/icons/layers';
import ListChecks from '@lucide/svelte/icons/list-checks';
import ListEnd from '@lucide/svelte/icons/list-end';
import ListFilter from '@lucide/svelte/icons/list-filter';
import Lock from '@lucide/svelte/icons/lock';
import Maximize2 from '@lucide/svelte/icons/maximize-2';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Minimize2 from '@lucide/svelte/icons/minimize-2';
import Minus from '@lucide/svelte/icons/minus';
import PanelLeft from '@lucide/svelte/icons/panel-left';
import PanelRight from '@lucide/svelte/icons/panel-right';
import Pencil from '@lucide/svelte/icons/pencil';
import Play from '@lucide/svelte/icons/play';
import Plug from '@lucide/svelte/icons/plug';
import Plus from '@lucide/svelte/icons/plus';
import Power from '@lucide/svelte/icons/power';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import Search from '@lucide/svelte/icons/search';
import Settings from '@lucide/svelte/icons/settings-2';
import Shield from '@lucide/svelte/icons/shield';
import Square from '@lucide/svelte/icons/square';
import Terminal from '@lucide/svelte/icons/terminal';
import Trash from '@lucide/svelte/icons/trash-2';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import Undo from '@lucide/svelte/icons/undo-2';
import WifiOff from '@lucide/svelte/icons/wifi-off';
import Workflow from '@lucide/svelte/icons/workflow';
import WrapText from '@lucide/svelte/icons/wrap-text';
import Wrench from '@lucide/svelte/icons/wrench';
import X from '@lucide/svelte/icons/x';
import type { IconProps } from '@lucide/svelte';

export const icons = {
  agent: Workflow,
  archive: Archive,
  ask: CircleQuestionMark,
  at: AtSign,
  bell: Bell,
  box: Square,
  braces: Braces,
  branch: GitBranch,
  check: Check,
  chip: Cpu,
  clock: Clock,
  code: Code,
  columns: Columns2,
  compact: FoldVertical,
  copy: Copy,
  diff: DiffIcon,
  down: ChevronDown,
  fail: CircleX,
  file: File,
  filter: ListFilter,
  folder: Folder,
  folderGone: FolderX,
  fork: GitFork,
  gauge: Gauge,
  globe: Globe,
  image: Image,
  inbox: Inbox,
  key: KeyRound,
  keys: Keyboard,
  layers: Layers,
  left: ChevronLeft,
  lock: Lock,
  minus: Minus,
  more: Ellipsis,
  narrow: Minimize2,
  newFile: FilePlus,
  offline: WifiOff,
  open: ExternalLink,
  panel: PanelRight,
  panelLeft: PanelLeft,
  pencil: Pencil,
  plan: FileText,
  play: Play,
  plug: Plug,
  plus: Plus,
  power: Power,
  prompt: ChevronRight,
  queue: ListEnd,
  retry: RotateCw,
  restore: History,
  right: ChevronRight,
  save: Download,
  say: MessageSquare,
  search: Search,
  send: ArrowUp,
  settings: Settings,
  shield: Shield,
  terminal: Terminal,
  think: CircleDashed,
  todo: ListChecks,
  tool: Wrench,
  trash: Trash,
  undo: Undo,
  up: ChevronUp,
  warn: TriangleAlert,
  widen: Maximize2,
  window: AppWindow,
  wrap: WrapText,
  x: X,
} satisfies Record<string, Component<IconProps>>;

/** Drawn by `Icon.svelte` itself: the solid mark, the rings, which must have one size among themselves, and two that Lucide draws too large. */
export type OwnIcon = 'wait' | 'half' | 'arc' | 'ring' | 'stop' | 'slash';

export type IconName = keyof typeof icons | OwnIcon;
export const ownIcons: readonly OwnIcon[] = ['wait', 'half', 'arc', 'ring', 'stop', 'slash'];
export const iconNames = [...Object.keys(icons), ...ownIcons] as IconName[];
