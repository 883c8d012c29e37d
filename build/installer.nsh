; Everything the installer does besides copying files is in windows/placard-setup.ps1. Sysnative: the installer is a
; 32-bit program, and Windows would redirect it to the 32-bit PowerShell, which sees another registry.

!macro placardSetup SCRIPT ARGUMENTS
  nsExec::ExecToLog '"$WINDIR\Sysnative\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${SCRIPT}" ${ARGUMENTS}'
  Pop $0
!macroend

; Before any file is replaced, because the task would start the player in the middle of it.
!macro customInit
  InitPluginsDir
  File "/oname=$PLUGINSDIR\placard-setup.ps1" "${BUILD_RESOURCES_DIR}/windows/placard-setup.ps1"
  !insertmacro placardSetup "$PLUGINSDIR\placard-setup.ps1" "-Step before"
  ${if} $0 != 0
    MessageBox MB_OK|MB_ICONSTOP "Placard cannot be installed: its folder in C:\ProgramData could not be restricted to administrators, or Windows PowerShell is disabled. Close all programs that use C:\ProgramData\Placard and run the installer again." /SD IDOK
    SetErrorLevel 2
    Quit
  ${endIf}
!macroend

!macro customInstall
  StrCpy $1 ""
  ${if} ${isUpdated}
    StrCpy $1 "-Updating"
  ${endIf}
  !insertmacro placardSetup "$PLUGINSDIR\placard-setup.ps1" '-Step after -Program "$INSTDIR" -Setup "$EXEPATH" -Version ${VERSION} $1'
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    !insertmacro placardSetup "$INSTDIR\resources\windows\placard-setup.ps1" '-Step remove -Program "$INSTDIR"'
  ${endIf}
!macroend
