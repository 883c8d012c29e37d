export * from './connectivity.ts';
export * from './menu-messages.ts';
export * from './messages.ts';
export * from '../video-classes.ts';
