/**
 * Variables of build servers that electron-builder adds to the version: the deb would be `0.1.0-123`, which the
 * updater refuses.
 */
export const BUILD_NUMBER_VARIABLES: readonly string[] = [
  'BUILD_NUMBER',
  'TRAVIS_BUILD_NUMBER',
  'APPVEYOR_BUILD_NUMBER',
  'CIRCLE_BUILD_NUM',
  'BUILD_BUILDNUMBER',
  'CI_PIPELINE_IID',
];

/** The environment for electron-builder, without the variables that would change the version of the packages. */
export function builderEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !BUILD_NUMBER_VARIABLES.includes(name)));
}
