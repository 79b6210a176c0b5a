export { LoadingList as default } from '../../loading-list.tsx';
